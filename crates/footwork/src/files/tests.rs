//! Tests of files.

use super::*;

#[test]
fn a_failed_write_leaves_the_old_file_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.fwdb");
    write_atomically(&path, |f| f.write_all(b"old")).unwrap();
    let failed = write_atomically(&path, |f| {
        f.write_all(b"new, but the disk is")?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    });
    assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn writers_at_once_to_one_file_all_succeed_and_one_of_them_wins() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.fwdb");
    let gate = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for k in 0..8u8 {
            let (path, gate) = (&path, &gate);
            scope.spawn(move || {
                write_atomically(path, |f| {
                    f.write_all(&[k; 1000])?;
                    // All writers are active now.
                    gate.wait();
                    f.write_all(&[k; 1000])
                })
                .unwrap();
            });
        }
    });
    let found = fs::read(&path).unwrap();
    assert!(found.len() == 2000 && found.iter().all(|b| *b == found[0]), "{} bytes", found.len());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_file_is_written() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("real")).unwrap();
    fs::write(at("real/a.fwdb"), "old").unwrap();
    symlink("real/a.fwdb", at("one")).unwrap();
    symlink(at("one"), at("two")).unwrap();
    symlink("real/new.fwdb", at("dangling")).unwrap();
    write_atomically(&at("two"), |f| f.write_all(b"new")).unwrap();
    write_atomically(&at("dangling"), |f| f.write_all(b"made")).unwrap();
    assert_eq!(fs::read(at("real/a.fwdb")).unwrap(), b"new");
    assert_eq!(fs::read(at("real/new.fwdb")).unwrap(), b"made");
    for link in ["one", "two", "dangling"] {
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
    }
    symlink("round", at("about")).unwrap();
    symlink("about", at("round")).unwrap();
    let circle = write_atomically(&at("round"), |f| f.write_all(b"x")).unwrap_err();
    assert!(circle.to_string().contains("circle"), "{circle}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_written_into_and_a_folder_refused() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    // A device takes the same path, but is not tested here: if this failed, the machine would lose the device.
    let (pipe, link) = (dir.path().join("pipe"), dir.path().join("link"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink(&pipe, &link).unwrap();
    for to in [&pipe, &link] {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_atomically(to, |f| f.write_all(b"x")).unwrap();
        assert_eq!(reader.join().unwrap(), b"x");
    }
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let folder = write_atomically(dir.path(), |f| f.write_all(b"x")).unwrap_err();
    assert_eq!(folder.kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn what_was_begun_is_removed_and_what_others_have_begun_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.fwdb");
    let (ours, _) = create_temporary(&path, path.file_name().unwrap()).unwrap();
    let others = dir.path().join(".a.fwdb.0.0.part");
    fs::write(&others, "x").unwrap();
    remove_temporaries(&path);
    assert!(!ours.exists() && others.exists());
}

#[test]
fn parts_of_killed_writers_are_removed_after_an_hour_by_the_next_writer_of_that_file() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let hours_ago = |hours: u64| std::time::SystemTime::now() - std::time::Duration::from_secs(3600 * hours);
    for (name, hours) in [
        (".a.fwdb.1.0.part", 2),
        (".a.fwdb.4000000000.17.part", 30),
        // A writer that may still be active, another file, and a file that is not from this library.
        (".a.fwdb.2.0.part", 0),
        (".b.fwdb.1.0.part", 2),
        (".a.fwdb.backup.1.part", 2),
        (".a.fwdb.1.0.part.txt", 2),
        ("a.fwdb.1.0.part", 2),
    ] {
        let file = File::create(at(name)).unwrap();
        file.set_modified(hours_ago(hours)).unwrap();
    }
    write_atomically(&at("a.fwdb"), |f| f.write_all(b"new")).unwrap();
    let left = || fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = left().collect();
    names.sort();
    let kept = [
        ".a.fwdb.1.0.part.txt",
        ".a.fwdb.2.0.part",
        ".a.fwdb.backup.1.part",
        ".b.fwdb.1.0.part",
        "a.fwdb",
        "a.fwdb.1.0.part",
    ];
    assert_eq!(names, kept);
    write_atomically(&at("b.fwdb"), |f| f.write_all(b"new")).unwrap();
    assert!(!at(".b.fwdb.1.0.part").exists());
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.bvh");
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let refused = read_at_most(&path, 1000).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    fs::write(&path, "12345").unwrap();
    assert_eq!(read_at_most(&path, 5).unwrap(), b"12345");
    assert_eq!(read_at_most(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    #[cfg(unix)]
    assert_eq!(read_at_most(Path::new("/dev/zero"), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(write_atomically(&dir.path().join("no/such/a.fwdb"), |_| Ok(())).is_err());
}
