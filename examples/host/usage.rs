//! The texts of `--help` and `--version`.

/// `--version`.
pub(crate) const VERSION: &str = concat!("host ", env!("CARGO_PKG_VERSION"));

/// `--help`.
pub(crate) const HELP: &str = "\
A small platform that embeds all of Gatepost: users, virtual machines, API keys, webhooks, and pages for them.

Usage: host [OPTION]...        with Cargo: cargo run --example host -- [OPTION]...

Where it is:
  -l, --listen HOST:PORT         where it listens; port 0 is any free one [127.0.0.1:8080]
      --tls-self-signed          speaks HTTPS, with a certificate of its own: cert.pem in the folder of --state
      --metrics-listen HOST:PORT serves /metrics and /status there, to whoever comes
                                 [at the main address, to system administrators]
      --traces URL               exports traces to the OpenTelemetry collector there, such as http://127.0.0.1:4318

What it keeps:
  -d, --data WHERE               a folder, with a SQLite file in it; `memory`; or postgres://USER:PASSWORD@HOST/DATABASE
                                 [gatepost-data]
      --state DIR                where the hashes of passwords, the sealing key and the certificate are
                                 [the folder of --data, or gatepost-data]
      --seal-key-file FILE       the key that seals the secrets of webhooks, 64 hexadecimal digits; made if there is
                                 none yet [seal.key in the folder of --state]

Who may do what:
      --admin-password-file FILE holds the password of admin, from now on [made and printed at the first start]
      --admin-password PASSWORD  the same, for everybody on this machine to see in the list of processes
      --allow-private-targets    lets webhooks reach this machine and private networks
      --trust FILE               trusts the certificate authorities in this PEM file, too, where webhooks and their
                                 OAuth 2 token endpoints are reached over TLS; may be given several times
      --unlimited                lifts the limits of all users

What it shows:
      --demo, --no-demo          brings a webhook, a task and an event of admin, and a receiver on this machine that
                                 shows what arrives, or nothing of the kind [brought by a first start in a new folder
                                 or in memory, when it listens on this machine alone]
  -v, --verbose                  logs details, too [a line for each request and each delivery]
  -q, --quiet                    logs warnings and errors only
  -h, --help                     this
  -V, --version                  its version

Variables:
  GATEPOST_ADMIN_PASSWORD        the password of admin, as with --admin-password-file. Blanks, line breaks and byte
                                 order marks around a password or another value count for nothing
  RUST_LOG                       what is logged, instead of -v and -q, such as warn,gatepost_engine=debug
  NO_COLOR                       no colours in the log; there are none in a file

Examples:
  host                           the first minute: paste the lines that it prints
  host --data memory             nothing is kept
  host --listen localhost:0 --allow-private-targets
  host --allow-private-targets --trust my-root.pem
  host --data postgres://app@db.internal/app --state /var/lib/platform --no-demo

It ends with 0 on Ctrl-C or SIGTERM, with 1 if it cannot start, with 2 if it does not understand an option.
";
