//! Outputs of real tools, in a folder named by `BENCHPAPER_CORPUS`: right values or a right refusal, and never a crash.
//!
//! `TRUTH` is what was checked by hand: file, status, labels of the row (`total` for the total), metric, value.

use std::path::Path;
use std::process::Command;

/// Values that were checked by hand, and files that are no results.
const TRUTH: &[(&str, &str, &str, &str, f64)] = &[
    ("fio/gen_json_randread.json", "ok", "total", "iops", 11_537.46),
    ("fio/gen_json_writeonly.json", "ok", "total", "iops", 139_417.00),
    ("fio/gen_31_json_seedjob.json", "ok", "total", "iops", 9_753.56),
    ("fio/gen_328_json_seedjob.json", "ok", "total", "latency_mean", 760_518.0),
    ("fio/gen_341_json_seedjob.json", "ok", "total", "latency_mean", 723_795.0),
    ("fio/gen_328_cs_ramp_allclients_lat_bug.json", "ok", "total", "latency_mean", 194_044.0),
    ("fio/gen_341_cs_ramp.json", "ok", "total", "latency_mean", 193_652.0),
    ("fio/gen_cs_json_2clients.json", "ok", "total", "iops", 16_977.82 + 7_206.51),
    ("fio/gen_json_randrw_nogroup4.json", "ok", "total", "iops", 54_118.11 + 23_411.60),
    ("fio/gen_json_fdatasync.json", "ok", "total", "iops", 254.75),
    ("fio/gen_json_tiny_7ms_256ios.json", "invalid", "total", "iops", 36_571.4),
    ("fio/gen_328_sigint_stdout.txt", "invalid", "", "", 0.0),
    ("fio/gen_json_errorlines_enospc.json", "failed", "", "", 0.0),
    ("fio/gen_328_cs_one_client_enospc.json", "failed", "", "", 0.0),
    ("fio/gen_341_errorlines.json", "failed", "", "", 0.0),
    ("fio/gen_31_errorlines_in_output.json", "failed", "", "", 0.0),
    ("fio/pkb_fio-parser-sample-result.json", "ok", "job=sequential_write", "bandwidth", 68_118.0 * 1024.0),
    ("fio/pkb_hist_fio.json", "ok", "direction=write", "latency_mean", 810_980.0),
    ("fio/vc_FIOExample.txt", "ok", "total", "bandwidth", 8_876_980.0),
    ("fio/lkp_01.txt", "ok", "total", "bandwidth", 120_135_948_816.0),
    ("fio/lkp_fio-multi-instance_fio.output.1.txt", "invalid", "", "", 0.0),
    ("fio/pbench_perf-fio-0_fio-result.txt", "ok", "direction=read", "iops", 96.78),
    ("fio/vpscomp_linode-linode1024-ubuntu_randread.txt", "ok", "run=1", "bandwidth", 113_691.0 * 1024.0),
    ("fio/vpscomp_vultr-20gbssd-ubuntu_randread.txt", "ok", "run=1", "iops", 61_359.0),
    ("fio/normal_fio3.1_two_jobs_group.txt", "ok", "total", "latency_mean", 534_510.0),
    ("fio/terse_v3_fio3.1_two_jobs_group.txt", "ok", "total", "latency_mean", 534_513.0),
    ("fio/terse_v3_fio3.1_two_jobs_group.txt", "ok", "total", "iops", 3_697.0),
    ("crystaldiskmark/habr_cdm5.2.0_ssd_nocache.txt", "ok", "direction=read;test=RND 4KiB Q32T1", "iops", 46_265.1),
    ("crystaldiskmark/v3.0.3_whitespace_collapsed.txt", "ok", "direction=read;test=RND 4KiB Q1T1", "iops", 132.3),
    ("crystaldiskmark/v7.0.0_hdd_crlf.txt", "ok", "direction=read;test=RND 4KiB Q32T16", "latency_mean", 635_043_040.0),
    ("crystaldiskmark/v8.0.4_nvme_mix_utf16le_bom_crlf.txt", "ok", "direction=mix;test=SEQ 1MiB Q8T1", "iops", 3_467.1),
    ("crystaldiskmark/amorphous_4.0.1_template_not_measured.txt", "failed", "", "", 0.0),
    ("diskspd/pkb_diskspd_result.xml", "ok", "total", "iops", 3_030.31),
    ("diskspd/vc_DiskSpdExample-ReadWrite.txt", "ok", "direction=write", "latency_mean", 2_179_000.0),
    ("diskspd/vc_DiskSpdExample-WriteOnly-v2.2.0.txt", "ok", "total", "iops", 2_242_082.85),
    ("diskspd/vc_DiskSpdExample-WriteOnly-v2.2.0-MultiSocketSingleGroup.txt", "ok", "total", "iops", 3_374.97),
    ("iperf3/gen_tcp.json", "ok", "total", "bandwidth", 16.354e9 / 8.0),
    ("iperf3/lkp_iperf_2.txt", "ok", "total", "bandwidth", 21.8e9 / 8.0),
    ("iperf3/gen_connrefused.json", "failed", "", "", 0.0),
    ("iperf3/gen_badarg_conflict.json", "failed", "", "", 0.0),
    ("netperf/pkb_netperf_results.txt", "ok", "total", "transactions", 2_217.06),
    ("netperf/pkb_netperf_results.txt", "ok", "total", "latency_p99", 589_000.0),
    ("ntttcp/vc_ClientOutput-v1.4.0.xml", "ok", "total", "bandwidth", 1_476_085_185.665),
    ("sysbench/gen_cpu.txt", "ok", "total", "events", 1_648.10),
    ("sysbench/pkb_sysbench-memory-output-sample.txt", "ok", "run=CPU 1", "bandwidth", 5_343.59 * 1_048_576.0),
    ("sysbench/vc_SysbenchExample1.txt", "ok", "total", "transactions", 32_400.24),
    ("vdbench/vdbench_50407_quick.txt", "ok", "total", "iops", 104.5),
    ("phoronix/hpcsb_local-pts_pts_fio-rand-read.xml", "ok", "", "iops", 91_400.0),
    ("phoronix/hpcsb_local-pts_pts_fio-rand-read.xml", "ok", "", "bandwidth", 357.0 * 1_048_576.0),
    ("phoronix/hpcsb_runner-benchmarking_pts_stream.xml", "ok", "description=Type: Copy", "bandwidth", 21_708.8e6),
    ("phoronix/hpcsb_fio-all-failed_pts_fio-rand-read.xml", "failed", "", "", 0.0),
    ("mpstat/lkp_mpstat_2.txt", "ok", "total", "cpu_idle", (77.66 + 69.47 + 71.14 + 79.04) / 4.0),
    ("mpstat/lkp_mpstat_5.txt", "failed", "", "", 0.0),
    ("mpstat/jc_centos_mpstat.out", "failed", "", "", 0.0),
];

/// The folders whose files are no outputs of measuring tools but of what describes machines.
const INVENTORIES: &[&str] =
    &["dmidecode", "esxcli", "ethtool", "lscpu", "lspci", "nvme", "pvesh", "pveversion", "qemu-img"];

/// Facts that were checked by hand: file, fact, value.
const FACTS: &[(&str, &str, &str)] = &[
    ("pveversion/v8.3.2_issue.txt", "hypervisor.build", "3e76eec21c4a14a7"),
    ("pveversion/v7.2-7_oneline_seed.txt", "hypervisor.kernel", "5.15.53-1-pve"),
    ("pvesh/node_status_envelope_9.2_mhz_string.json", "cpu.threads", "128"),
    ("esxcli/system_version_get_7.0.3_seed.txt", "hypervisor.build", "19035710"),
    ("esxcli/network_nic_list_seed_pt.txt", "nic.vmnic2.mtu", "9000"),
    ("esxcli/network_nic_coalesce_get_seed.txt", "nic.vmnic2.coalesce.adaptive_rx", "on"),
    ("esxcli/storage_core_device_list_7x_hpp.txt", "block.disk1.outstanding_ios", "32"),
    ("ethtool/connectx_pve_cqe.txt", "nic.enp1s0f0np0.coalesce.rx_usecs", "8"),
    ("lscpu/utillinux_lscpu-x86_64-epyc_7451.txt", "cpu.cores", "48"),
    ("nvme/nvme1x_typo_MaximiumLBA.json", "block.nvme9n1.size", "3814697 MiB"),
    ("qemu-img/gen_a_qcow2.json", "image.a.qcow2.virtual_size", "1024 MiB"),
    ("dmidecode/netbox-agent_Dell_PowerEdge_M630.txt", "system.product", "PowerEdge M630"),
];

fn benchpaper(arguments: &[&str]) -> (i32, serde_json::Value) {
    let output =
        Command::new(crate::laboratory::program()).args(arguments).args(["--format", "json"]).output().unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("{arguments:?}: ended by a signal"));
    (code, serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// Whether a measurement is of what was meant.
fn is_meant(one: &serde_json::Value, of: &str) -> bool {
    match of {
        "" => true,
        "total" => one["labels"].get("aggregate").is_some(),
        labels => labels.split(';').all(|pair| {
            let (label, value) = pair.split_once('=').unwrap();
            one["labels"][label] == value
        }),
    }
}

#[test]
fn the_corpus_is_read_rightly_where_there_is_one() {
    let Ok(corpus) = std::env::var("BENCHPAPER_CORPUS") else {
        println!("BENCHPAPER_CORPUS is not set: no corpus was read");
        return;
    };
    let corpus = Path::new(&corpus);
    for (name, status, of, metric, value) in TRUTH {
        let (_, reading) = benchpaper(&["parse", corpus.join(name).to_str().unwrap()]);
        assert_eq!(reading["status"], *status, "{name}: {reading}");
        let measurements = reading["measurements"].as_array().unwrap();
        assert_eq!(measurements.is_empty(), *status == "failed", "{name}");
        if !metric.is_empty() {
            let found = measurements.iter().find(|one| one["metric"] == *metric && is_meant(one, of));
            let found = found.unwrap_or_else(|| panic!("{name}: no {metric} of {of}"))["value"].as_f64().unwrap();
            assert!((found / value - 1.0).abs() < 0.001, "{name}: {metric} is {found}, expected {value}");
        }
    }
    for folder in std::fs::read_dir(corpus).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let is_inventory = INVENTORIES.contains(&folder.file_name().to_str().unwrap());
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let path = file.path();
            for verb in ["parse", "post"] {
                let (code, _) = benchpaper(&[verb, path.to_str().unwrap()]);
                assert!((0..=2).contains(&code), "{verb} {}: {code}", path.display());
            }
        }
        if is_inventory {
            let (code, found) = benchpaper(&["inventory", "--from", folder.path().to_str().unwrap()]);
            assert!((0..=1).contains(&code), "{}: {code}: {found}", folder.path().display());
        }
    }
    for (name, fact, value) in FACTS {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(corpus.join(name), folder.path().join(name.rsplit('/').next().unwrap())).unwrap();
        let (code, found) = benchpaper(&["inventory", "--from", folder.path().to_str().unwrap()]);
        assert_eq!((code, found["facts"][fact]["measured"].as_str()), (0, Some(*value)), "{name}: {found}");
    }
}
