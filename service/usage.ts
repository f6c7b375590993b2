/** Default ports (behaviour.md#listeners). */
export const defaultPorts = { api: 8710, media: 8711, rtmp: 1935 } as const

/** What running requests may still take after SIGTERM, in ms. */
export const defaultDrain = 10_000

/** Usage of the stand-alone service. */
export const usage = `Usage: npm run --silent service -- --data DIR [--api-port N] [--media-port N] [--rtmp-port N]
  [--bind-api ADDR] [--bind-media ADDR] [--bind-rtmp ADDR] [--time-zone ZONE] [--origin ORIGIN ...]
  [--public-url URL] [--public-api URL] [--public-link URL] [--public-rtmp URL] [--public-host HOST] [--trust-proxy RANGE[,RANGE ...] ...]
  [--tls-cert FILE --tls-key FILE [--https-port N] [--rtmps-port N]]
  [--metrics-port N [--metrics-host ADDR]] [--drain-seconds N]
  [--hooks-port N [--hooks-host ADDR] [--hooks-way URL] [--ingest-server MAKE=URL ...]]
  [--restore-copy NAME|latest] [--begin-anew] [--copy-url URL] [--recording-reserve BYTES] [--recording-minute MS] [--plain-sign-in]
  [--node NAME [--node-media URL]] [--faults]
Ports default to ${defaultPorts.api}, ${defaultPorts.media} and ${defaultPorts.rtmp}; 0 takes any free one.
One of these that is not named moves to the next free port when it is taken; a named one that cannot be opened ends the start. Addresses default to 127.0.0.1.
--public-url is the root of the media side as people reach it, such as https://live.example.com; addresses are written with it.
--public-api, --public-link and --public-rtmp are the same for signed calls, the client link (whole) and RTMP, where they differ.
--public-host names the host alone; schemes and ports stay those of the listeners.
--trust-proxy takes the word of proxies at these addresses (10.0.0.0/8, ::1) on who their clients are:
X-Forwarded-For, X-Forwarded-Proto and the PROXY protocol.
--tls-cert and --tls-key are a certificate chain and its key in PEM, read again when they change. With them
--https-port serves the media side over HTTPS and --rtmps-port RTMP over TLS, on all addresses, and an api listener
that leaves 127.0.0.1 speaks HTTPS.
The key pair comes from SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET, else from DIR/credentials.json, which is made when missing.
--copy-url is where copies of messages go from this start on; without it they go where they went, if anywhere.
--recording-reserve is what recording leaves free on the disk, 512 MiB when absent.
--recording-minute is the length of one minute of a recorded slice, for tests that cannot wait for 5 of them.
--metrics-port serves /healthz, /readyz and /metrics (for Prometheus), on 127.0.0.1 or the address of --metrics-host:
counts only, to anyone who reaches it. It is not open without it.
--hooks-port serves /hooks/nginx-rtmp, /hooks/srs and /hooks/mediamtx, where such a server asks whether a push may
begin; it is answered as RTMP here is, and sends the push on to this service, or to --hooks-way. A name in it is looked
up for nginx-rtmp, which looks up none. --ingest-server names
the root of its control API (http://10.0.0.5:1985), by which encoders of disabled channels are cut off.
--drain-seconds is what running requests may still take after SIGTERM, ${defaultDrain / 1000} when absent.
--plain-sign-in lets accounts sign in to the client link from other computers without TLS, where others can read their tokens.
The rows are in DIR/sidestage.db, or in PostgreSQL at SIDESTAGE_DATABASE_URL, in the schema SIDESTAGE_SCHEMA
(sidestage when absent). With SIDESTAGE_REDIS_URL too, further services may share them; each has a DIR of its own, and
another name by --node, which it keeps: lower-case letters, digits and -, 32 at most. --node-media is the root of the
media side of this one alone, to which others lead players of its pushes; --public-url when absent.
Uploads and recordings are in DIR, or with such a database in an object store that speaks S3: SIDESTAGE_S3_ENDPOINT,
SIDESTAGE_S3_BUCKET, SIDESTAGE_S3_REGION, SIDESTAGE_S3_ACCESS_KEY and SIDESTAGE_S3_SECRET_KEY; SIDESTAGE_S3_ADDRESSING
is path (when absent) or host, where the bucket is part of the host.
--restore-copy puts a copy, DIR/copies/NAME, in the place of a database that cannot be used; --begin-anew a new one.
  What was there is set aside in DIR/quarantine for 30 days. A database that can be used is left as it is.
--faults serves /local/service/faults, by which callers make operations fail: for tests of clients only.`
