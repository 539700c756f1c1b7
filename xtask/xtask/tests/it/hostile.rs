//! The user's git settings, however strange, change nothing.

use std::fs;

use crate::fixture::{FOLDER, Fixture};
use crate::rebasing::{STOPPED, conflicting, lib, locked_and_verified};

const CONFIG: &str = "
[core]
    autocrlf = true
    eol = crlf
    abbrev = 4
    hooksPath = HOME/hooks
    attributesFile = HOME/attributes
    excludesFile = HOME/ignore
    quotePath = false
    fsmonitor = HOME/hooks/pre-commit
[commit]
    gpgSign = true
    template = HOME/nothing
[gpg]
    program = /bin/false
[user]
    useConfigOnly = true
[diff]
    noprefix = true
    mnemonicPrefix = true
    external = /bin/false
    context = 9
    renames = copies
    algorithm = patience
    interHunkContext = 20
    orderFile = HOME/order
    suppressBlankEmpty = true
[diff \"weird\"]
    textconv = /bin/false
    xfuncname = nothing
[filter \"weird\"]
    clean = sed s/line/LINE/
    smudge = sed s/line/LINE/
    required = true
[format]
    signature = mine
    subjectPrefix = MINE
    attach = true
    numbered = true
    headers = \"X-Mine: yes\"
    encodeEmailHeaders = true
    from = Other <other@example.com>
    signOff = true
    thread = deep
    useAutoBase = true
[i18n]
    commitEncoding = ISO-8859-1
    logOutputEncoding = ISO-8859-1
[log]
    showSignature = true
    date = relative
[apply]
    whitespace = fix
[merge]
    renormalize = true
    conflictStyle = diff3
[transfer]
    fsckObjects = true
[safe]
    directory =
";

/// Gives the tool a home full of strange settings, and the environment to go with them.
fn hostile(fixture: &mut Fixture) {
    let home = fixture.root.join("../home");
    let shown = home.display().to_string();
    fs::create_dir_all(home.join("hooks")).unwrap();
    fs::write(home.join(".gitconfig"), CONFIG.replace("HOME", &shown)).unwrap();
    fs::write(home.join("attributes"), "* text eol=crlf diff=weird filter=weird working-tree-encoding=UTF-16\n")
        .unwrap();
    fs::write(home.join("ignore"), "*\n").unwrap();
    fs::write(home.join("order"), "*.txt\n*.rs\n").unwrap();
    for hook in ["pre-commit", "post-checkout", "reference-transaction", "post-index-change", "applypatch-msg"] {
        let path = home.join("hooks").join(hook);
        fs::write(&path, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let settings = [
        ("HOME", shown.as_str()),
        ("GIT_DIR", "/nonexistent"),
        ("GIT_WORK_TREE", "/nonexistent"),
        ("GIT_INDEX_FILE", "/nonexistent"),
        ("GIT_EXTERNAL_DIFF", "/bin/false"),
        ("GIT_AUTHOR_NAME", "Somebody Else"),
        ("GIT_COMMITTER_DATE", "yesterday"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.bare"),
        ("GIT_CONFIG_VALUE_0", "true"),
        ("GIT_DIFF_OPTS", "--unified=7"),
        ("GIT_NAMESPACE", "mine"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("LANGUAGE", "de"),
    ];
    fixture.env.extend(settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
    // cargo and rustup keep their own homes.
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let value = std::env::var(name).unwrap_or_else(|_| format!("{}/{folder}", std::env::var("HOME").unwrap()));
        fixture.env.push((name.to_owned(), value));
    }
}

/// The same settings in the fork's own repository.
fn hostile_locally(fixture: &Fixture) {
    let home = fixture.root.join("../home").display().to_string();
    let git = fixture.root.join(FOLDER).join(".git");
    let mut config = fs::read_to_string(git.join("config")).unwrap();
    config.push_str(&CONFIG.replace("HOME", &home));
    fs::write(git.join("config"), config).unwrap();
    fs::create_dir_all(git.join("info")).unwrap();
    fs::write(git.join("info/attributes"), "* text eol=crlf diff=weird filter=weird\n").unwrap();
    fs::write(git.join("info/exclude"), "*\n").unwrap();
}

#[test]
fn patch_files_are_the_same_bytes_under_strange_settings() {
    let plain = Fixture::ready();
    let mut strange = Fixture::bare();
    hostile(&mut strange);
    strange.write_patches();
    strange.lock();
    assert_eq!(strange.files("patches"), plain.files("patches"));
    assert_eq!(strange.files(FOLDER), plain.files(FOLDER));
    let ids = |fixture: &Fixture| fixture.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    assert_eq!(ids(&strange), ids(&plain));
    strange.ok(&["export", "--check"]);
    strange.ok(&["verify"]);
}

#[test]
fn strange_settings_in_the_forks_own_repository_change_nothing() {
    let mut fixture = Fixture::ready();
    let (patches, folder) = (fixture.files("patches"), fixture.files(FOLDER));
    hostile(&mut fixture);
    hostile_locally(&fixture);
    assert!(fixture.ok(&["apply"]).contains("up to date"));
    fixture.ok(&["export"]);
    for ships in ["false", "true"] {
        let other = if ships == "true" { "false" } else { "true" };
        let entry = |value: &str| format!("short = \"a\", ships = {value}");
        fixture.replace("patches/forks.toml", &entry(other), &entry(ships));
        assert!(fixture.ok(&["apply"]).contains("laid out"));
    }
    assert_eq!(fixture.files("patches"), patches);
    assert_eq!(fixture.files(FOLDER), folder);
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.ok(&["export", "--check"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["verify"]);
    // Nor do they hide work.
    fixture.write(&format!("{FOLDER}/mine.rs"), "");
    fixture.fails(&["apply"], 1, &["untracked: mine.rs"]);
}

/// As a hook of the repository's own git finds it: the environment names its files.
#[test]
fn the_repository_that_the_environment_names_is_left_alone() {
    let mut fixture = Fixture::ready();
    fixture.write(".gitignore", "/extern\n/target\n/out\n/git\n");
    fixture.in_root(&["init", "-q", "--separate-git-dir", "git"]);
    fixture.in_root(&["config", "core.hooksPath", "/dev/null"]);
    fixture.in_root(&["add", "-A"]);
    let of_git = |fixture: &Fixture| {
        let mut files = fixture.files("git");
        files.retain(|path, _| !path.starts_with("objects/"));
        files
    };
    let (before, patches, folder) = (of_git(&fixture), fixture.files("patches"), fixture.files(FOLDER));
    let git = fixture.root.join("git").display().to_string();
    for (name, value) in [
        ("GIT_DIR", git.clone()),
        ("GIT_INDEX_FILE", format!("{git}/index")),
        ("GIT_WORK_TREE", fixture.root.display().to_string()),
        ("GIT_COMMON_DIR", git.clone()),
        ("GIT_OBJECT_DIRECTORY", format!("{git}/objects")),
        ("GIT_PREFIX", "app/".to_owned()),
    ] {
        fixture.env.push((name.to_owned(), value));
    }
    fs::remove_dir_all(fixture.root.join("extern")).unwrap();
    fixture.ok(&["apply"]);
    fixture.ok(&["edit", "demo-core", "--patch", "b-fast"]);
    fixture.edit_file("src/lib.rs", "line 20\n", "line 20, mine\n");
    fixture.amend();
    fixture.ok(&["export"]);
    assert!(fixture.read("patches/demo-core/b-fast.patch").contains("line 20, mine"));
    fixture.edit_file("src/lib.rs", "line 20, mine\n", "line 20\n");
    fixture.amend();
    fixture.ok(&["export"]);
    fixture.ok(&["apply"]);
    fixture.ok(&["vendor", "--to", "out"]);
    fixture.ok(&["verify"]);
    assert_eq!((of_git(&fixture), fixture.files("patches"), fixture.files(FOLDER)), (before, patches, folder));
}

/// More that a merge might heed.
const MERGING: &str = "
[rerere]
    enabled = false
    autoUpdate = true
[merge]
    renameLimit = 1
    directoryRenames = true
    conflictStyle = merge
    ff = only
[index]
    version = 4
[core]
    splitIndex = true
    symlinks = false
    ignoreCase = true
    commentChar = L
    fileMode = false
[commit]
    cleanup = verbatim
    verbose = true
[pull]
    rebase = true
[cherryPick]
    gpgSign = true
";

#[test]
fn a_rebase_that_stopped_heeds_no_strange_settings() {
    let plain = conflicting();
    let merged = lib(&[("// line 2\n", "// line 2\n// log\n"), ("// line 10\n", "// line ten, fast\n")]);
    let rebase = |fixture: &Fixture| {
        fixture.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, STOPPED);
        let conflict = fixture.read(&format!("{FOLDER}/src/lib.rs"));
        fixture.write(&format!("{FOLDER}/src/lib.rs"), &merged);
        fixture.git(&[
            "-c",
            "core.attributesFile=/dev/null",
            "-c",
            "filter.weird.clean=cat",
            "add",
            "-f",
            "src/lib.rs",
        ]);
        (conflict, fixture.ok(&["rebase", "demo-core", "--continue"]))
    };
    let mut strange = conflicting();
    hostile(&mut strange);
    hostile_locally(&strange);
    let config = strange.root.join(FOLDER).join(".git/config");
    fs::write(&config, fs::read_to_string(&config).unwrap() + MERGING).unwrap();
    // A filter on every file of the folder is the one thing that git cannot be kept from: it refuses to merge.
    let words = ["merge of `a-fast` in extern/demo-core was not begun", "local changes", "info/attributes", "--abort"];
    strange.fails(&["rebase", "demo-core", "--to", "1.1.0"], 1, &words);
    strange.fails(&["rebase", "demo-core", "--continue"], 1, &["was not begun", "--abort"]);
    let attributes = format!("{FOLDER}/.git/info/attributes");
    strange.write(&attributes, &plain.read(&attributes));
    strange.ok(&["rebase", "demo-core", "--abort"]);
    assert_eq!(rebase(&strange), rebase(&plain));
    for path in ["patches", FOLDER] {
        assert_eq!(strange.files(path), plain.files(path));
    }
    locked_and_verified(&plain);
}
