### English: what papers, and the reports of diffs and audits, say. Names are those of `Word` in word.rs.

## Heads of a paper and its tables

Contents = Contents
Question = Question
Version = Version
Commit = Commit
Manifest = Manifest
Profile = Profile
Draft = DRAFT
Figure = Figure
Table = Table
NoDate = not dated
Uncommitted = uncommitted
Property = Property
Value = Value
Origin = How known
Factor = Factor
Levels = Levels
LeftOut = Left out
Reason = Reason
NotAffected = cpu.mitigation, not affected
Setting = Setting
ReplicateCount = n
Median = Median
Interval = Interval
Level = Level
CoefficientOfVariation = CV
Metric = Metric
Pairs = Pairs
GapMax = Greatest seen
GapBound = Bound
Case = Case
Replicate = Replicate
Attempt = Attempt
Outcome = Outcome
Change = Change
IntervalWithLevel = Interval (level)
PAdjusted = p (Holm)
PRank = p (rank)
Verdict = Verdict
Yes = yes
No = no
NoValue = –
Arm = Arm
ArmSettings = Sets
Run = Run
Started = Begun
AttemptsOk = ok
AttemptsOther = not ok
JournalHead = Journal head
Sealed = Sealed
File = File
Tool = Tool, as it says
Source = Source
Jobs = Jobs
Digest = SHA-256
OriginTranscribed = copied by hand
OriginImported = read from a file
Hypervisor = hypervisor, as it said

## Verdicts on a comparison

Equivalent = equivalent
Improved = improved
Regressed = regressed
Changed = changed
Inconclusive = inconclusive
Invalid = invalid: the arms lost attempts unequally
ChangeInterval = { $low } to { $high } ({ $level })

## Captions of tables

ArmsCaption = What the arms set in place of the workload's own settings
GuestSettingsCaption = Settings of the guests
GuestsCaption = The guests, as they said when they were ready, and what they booted
FactsCaption = The machine, as found when the run began
FactsSavedCaption = The machine, from what its programs printed and its authors say
MatrixCaption = Factors and their levels
ExcludedCaption = Combinations that were left out
WorkloadCaption = Settings of the workload { $workload }
ResultsCaption = { $metric }: median of the replicates, with its interval
GivenCaption = { $metric }: the values as they were given
ComparisonCaption = { $metric }: change against { $baseline }
NoiseCaption = One case measured as two arms: how far apart equal things lie. 95 % of such pairs stay below the bound, which is the upper 95 % limit of that share
NotOkCaption = Attempts without a usable result
RunsCaption = The runs of this experiment that are known
GivenFilesCaption = The files that values were read from which this program did not measure

## Figures

ChartCaption = { $metric }: medians; whiskers span the interval of the median
Tradeoff = { $y } against { $x }
TradeoffAlong = { $y } against { $x }, along { $along }
TradeoffCaption = { $y } against { $x }: medians, joined in the order of { $along }, whose levels stand at points; whiskers span the interval of the former
Percentile = percentile
Percentiles = Latency percentiles
PercentilesCaption = Percentiles of { $quantity }: medians over replicates; whiskers span the interval of the median
ForestTitle = { $metric }: ratio to { $baseline }
ForestCaption = { $title }; rings are inconclusive, intervals are not adjusted
ForestCaptionWithMargin = { $title }; rings are inconclusive, intervals are not adjusted, the grey band is the margin
MapTitle = { $metric }, { $level } against { $baseline }: change in percent
MapCaption = { $title }; what stands in brackets is inconclusive
LogScale = { $title } (log scale)
PlotDescription = { $y } over { $x }: { $points }.
PlotDescriptionCut = { $y } over { $x }: { $points }; and more, as in the tables.
PlotPoint = { $series } at { $at }: { $value }
RatioWithInterval = { $change } ({ $low } to { $high }) %

## What a reader must know first

Emulated = These numbers were measured under emulation: a program executed the guests' instructions and played their devices. They say how the emulated machine behaves, and are not to be set beside numbers of hardware.
VirtualExact = These numbers were measured in guests whose clock counts instructions, without I/O on the host: replicates are byte-identical. They prove that the same inputs give the same bytes; the rates follow from the time that an instruction was set to take, and say nothing of any machine.
Missing = { $missing } of { $jobs } jobs have no usable result: this paper is incomplete.
Hidden = Values come from runs that differ in facts which nobody declared: { $facts }.
HiddenInRow = { $sign } Values of this row come from runs that differ in what nobody declared: { $facts }.
Waiver = Run { $run } was made although the machine differs from the lock in { $fact }: { $reason }.
Imported = Not measured by this program: { $parts } ({ $environment }). The values were read from files that others made: { $sources }.
Transcribed = Not measured by this program: { $parts } ({ $environment }). The values were copied by hand from: { $sources }.
MixedOrigin = Values copied by hand stand among values read from files in: { $cases }.
MainPart = the main part
NoSource = where from is not said
FilesOf = { $source } ({ $files } { $files ->
    [one] file
   *[other] files
})

## How it was measured

OrderInterleaved = Each replicate visits every case before the next begins, in a new random order each time (seed { $seed }). Replicates are blocks.
OrderRandomized = All jobs run in one random order (seed { $seed }). Arms are independent.
OrderSessionsInterleaved = Within a session, each replicate visits every case before the next begins, in a new random order each time (seed { $seed }).
OrderSessionsRandomized = Within a session, all jobs run in one random order (seed { $seed }).
Design = Replicates of every case: { $replicates }; what is repeated is { $unit }.
DesignSessions = Replicates of every case: { $replicates }, dealt out to { $sessions } sessions of its level; what is repeated is { $unit }.
AJob = the job
Sessions = The factor { $factor } is hard to change: its levels were visited in sessions, { $levels }. Jobs of one session share whatever it was like, so levels of this factor are compared by sessions. In tables n counts sessions, and medians, intervals and CV are of one value of each, the median of its jobs.
SharedBoots = Replicates of a case that ran in one boot of the guests count as one, with their median: n is the number of boots.
Timing = A job ran for { $ramp_time } before it counted, and then counted for { $run_time }.
TimingWithoutRamp = A job counted for { $run_time }, from its start.
Untimed = Jobs ran to their own end.
Precondition = Before the first job: { $steps }.
FreshGuests = In each fresh guest, before its first job: { $steps }.
Filled = { $device } was written from start to end ×{ $passes }
NoPrecondition = Devices were not preconditioned.
EmptyDisks = The disks of each fresh guest were empty: what is written for the first time also pays for its place in the image.
Together = Guests begin one after the other, up to a second apart. IOPS and bandwidth are therefore of the time in which all of them were active, from what each logged every tenth of a second; latencies are of each guest's whole run time. Start skew is the time between the first and the last beginning, and fairness, the least of the guests' rates by the greatest, says how evenly they shared.
GivenMethod = Others ran the jobs. In which order, after what, and how devices were prepared is not known to this program, so replicates are taken as independent, not as blocks.
OneReplicate = There is one replicate, so nothing can be said about variation: the tables have no intervals.
PowerCan = Arms are compared as { $comparing }; { $comparisons } comparisons of one metric share a family. The smallest p that a rank test can reach in this design is { $smallest_p }, after Holm's correction { $smallest_p_adjusted }.
PowerCannot = By the rank test, which assumes no distribution, no difference could be significant at 0.05 in this design, whatever its size: that needs at least { $needed } replicates. What the t test shows rests on its assumption.
PowerCannotArms = By the rank test no difference could be significant at 0.05 in this design, whatever its size: that needs at least { $needed } { $units }.
Replicates = replicates
SessionsOfLevel = sessions of each level
ComparingBlocks = blocks
ComparingIndependentArms = independent arms
ComparingSessions = sessions
Statistics = Intervals of medians run between order statistics and are printed with the level they really have; below 6 replicates that is less than 95 %.
StatisticsBlocks = Replicates are blocks. Up to 8 of them: the change is the geometric mean of the ratios within blocks, its interval and p (Holm) are by Student's t on logarithms, which assumes log-normal ratios. More: it is the pseudo-median of those ratios, by the exact signed-rank test. p (rank) is of that test, which assumes symmetry only.
StatisticsIndependent = Arms are independent. The change is the median ratio between values of the two arms (Hodges and Lehmann), which is the ratio of their medians where one is only shifted; its interval and p are those of the exact Mann-Whitney test on logarithms. Where an interval of 95 % does not exist, the widest there is stands with its level.
StatisticsVerdict = p (Holm) is adjusted over all comparisons of one metric, those for equivalence included (by Shaffer's factors: no change is both none and beyond the margin). Verdicts, in this order: invalid where the arms lost different shares of their attempts (Fisher's exact test, over all comparisons); equivalent where two one-sided tests put the change within the metric's margin; improved or regressed where p (Holm) is at most 0.05 and the change exceeds the noise, where its floor was measured; else inconclusive. The noise of a comparison is the bound of the noise floor, as a logarithm, by the root of the number of blocks, or times the root of half the sum of 1 ÷ n of both arms.

## What was attempted, and where it comes from

Attempts = Attempts made: { $attempts }, at { $jobs } jobs; jobs without a usable result: { $missing }. The first usable attempt of each job counts, in the order of the journal.
OtherAttempts = The same runs hold { $attempts } attempts at jobs of other plans (another profile, manifest or machine), { $not_ok } of them without a usable result; they are not part of this paper.
AllOk = No attempt at these jobs failed, was invalid or was interrupted.
Continued = Run { $run } was interrupted and continued { $times } times.
Remark = During run { $run }: { $remark }.
Unmatched = Files that were handed in and used for nothing:
NoiseNone = No noise pairs were measured.
NoiseFew = With fewer than { $pairs } pairs no bound is computed.
Provenance = The manifest has the digest { $manifest }, the lock { $lock }. The expanded cases have the digest { $cases }.
Verify = This file holds its manifest, lock, prose, results and cell map as attachments. { $command } makes it again from them and compares every byte; with the store at hand it reads every number again from the raw output.
Trace = { $command } shows where a number comes from.
DisclosureOwed = A paper of this kind should also say, and this one does not: { $subjects }.
DisclosureWaived = Not disclosed: { $subject } ({ $reason }).
ValueTimes = { $value } ({ $count } times)
DifferentValues = { $count } different values

## Files inside the PDF

ManifestAttached = The manifest
LockAttached = The lock: pins and digests
ProseAttached = The prose template
MarkdownAttached = This paper as Markdown
ResultsAttached = All values with their origin
TableAttached = All values as a table
CellMapAttached = Place and origin of every number
ContextAttached = Commit, date and program

## Claims, of diffs and of audits

Claims = Claims
Id = Id
Claim = Claim
Why = Why

## The report of a diff

DiffTitle = { $b } against { $a }
DiffFactors = What was pinned
DiffFactorsCaption = What differs
Path = Path
SideA = A
SideB = B
WhyListed = Why it is listed
DiffResults = What came out
DiffResultsCaption = Medians of both sides, and the change
PBenjaminiHochberg = p (BH)
DiffInterval = { $low } to { $high } % ({ $level })
DiffRowNeeds = a fresh run needs { $replicates }
DiffRowHidden = values differ, undeclared, in { $facts }
DiffCompared = { $count } { $count ->
    [one] comparison
   *[other] comparisons
}: { $verdicts }.
DiffOneSideOnly = Of one side only: { $verdicts }.
DiffSameObjects = { $count } of them rest on the same raw objects: nothing was measured in between.
DiffReplicatesNeeded = To decide what is open, with a chance of 80 % and changes as large as those seen, a fresh run needs up to { $replicates } replicates a side; adding to these until it looks right does not count.
DiffMethod = Method: { $method }; the change is { $estimand }, not the ratio of the medians beside it.
DiffAdjusted = p (BH) is adjusted over all rows by Benjamini and Hochberg; IOPS, bandwidth and mean latency of a case weigh one together.
DiffClaimsCaption = Claims whose verdict differs
DeltaTitle = { $metric }: { $b } against { $a }
DeltaMap = { $title }: change in percent
DeltaForest = { $title }: ratio
DeltaForestCut = { $title }: ratio; the { $shown } of { $count } cases that differ most

## The report of an audit

AuditTitle = Audit: { $paper }
AuditQuestion = Which of its claims follow from what it prints?
AuditOfPaper = Each claim was checked against what the paper itself prints. A printed number stands for all values that round to it, and a claim is called contradicted or inconsistent only where no such value makes it true. Nothing is said of how a number came to be.
AuditOfEvidence = Each claim was followed to the raw objects that it rests on, and derived from them again. A claim about a difference is decided on the bound of its interval, at a level that is adjusted for all claims that are tested (Holm). A printed number stands for all values that round to it.
AuditPaper = Paper
AuditAuthors = Its authors
AuditPublished = Published
AuditClaimsCaption = The claims
Impact = Impact
ImpactCosmetic = cosmetic
ImpactNumeric = numeric
ImpactFlipsClaim = flips claim
AuditFindings = Findings that no claim depends on
AuditFindingsCaption = What else does not fit, or is worth a question
AuditArithmetic = Arithmetic
AuditChecksCaption = Comparisons of { $claim }
Check = Check
Where = Where
Result = Result
WhatWasCompared = What was compared
ChanceInPercent = Chance [%]
OutcomePass = pass
OutcomePassIf = pass, if
OutcomeFail = fail
OutcomeQuestion = question
OutcomeNotCompared = not compared
OutcomeError = error
FitsIf = it fits if { $assumption }
ExplainedBy = explained by { $explanation }
FitsWith = it would fit with { $repair }
AuditRules = Rules
AuditRulesExplained = Verdicts: contradicted means false for every value that evidence of a higher rank allows; inconsistent, that numbers of one rank can not all be true; qualified, that it holds under something that is not said; consistent, that what could be compared holds, and a wrong number would have failed at least as often as passed; unverifiable is the rest. Questions, and rules of method, never decide a claim. Chance is how likely a wrong number would have passed, where wrong numbers are the true one times a factor between a half and two.
RuleOfMathematics = mathematics
RuleOfPhysics = a physical limit
RuleOfSuspicion = a question
RuleOfMethod = method
AuditContext = Context
AuditContextCaption = What the checks took from the paper
Fact = Fact
WhereOrWhy = Where, or why

## Metrics, by name; a point in it is a hyphen here

metric-iops = IOPS
metric-bandwidth = Bandwidth
metric-events = Events per second
metric-transactions = Transactions per second
metric-queries = Queries per second
metric-latency_mean = Mean latency
metric-latency_p50 = Median latency
metric-latency_p75 = p75 latency
metric-latency_p90 = p90 latency
metric-latency_p95 = p95 latency
metric-latency_p99 = p99 latency
metric-latency_p99-9 = p99.9 latency
metric-latency_p99-99 = p99.99 latency
metric-latency_min = Least latency
metric-latency_max = Greatest latency
metric-sync_latency_mean = Mean sync latency
metric-sync_latency_p99 = p99 sync latency
metric-sync_latency_max = Greatest sync latency
metric-fairness = Fairness, least ÷ most
metric-start_skew = Start skew
metric-retransmits = Retransmits
metric-loss = Loss
metric-jitter = Jitter
metric-score = Score
metric-qos = Quality of service
metric-cpu_usage = CPU usage
metric-cpu_user = CPU, user
metric-cpu_system = CPU, system
metric-cpu_iowait = CPU, waiting for I/O
metric-cpu_steal = CPU, stolen
metric-cpu_idle = CPU, idle
metric-queue_depth = Mean queue depth
metric-runtime = Run time
metric-operations = Operations
metric-bytes = Bytes

## Codes of facts, outcomes and environments, by their word in stored files

fact-measured = measured
fact-declared = declared
fact-unavailable = unavailable
fact-pinned = pinned
outcome-ok = ok
outcome-failed = failed
outcome-timeout = timeout
outcome-invalid = invalid
outcome-tainted = tainted
outcome-interrupted = interrupted
environment-hardware = hardware
environment-emulated = emulated
environment-virtual-exact = virtual-exact
environment-unknown = unknown
