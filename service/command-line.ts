import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { addressFault } from './outbox/address-guard.ts'
import { wordsOf } from './outbox/reason-words.ts'
import { publicAddressShapes, rangeFault, readPublicAddress } from '../contract/public-addresses.ts'
import { unkeepableName } from '../platform/path-names.ts'
import {
  readRecordingSwitches,
  type ListenerChoice,
  type PublicAddresses,
  type ServiceChoices,
} from '../contract/service-process.ts'

/** Default ports (behaviour.md#listeners). */
export const defaultPorts = { api: 8710, media: 8711, rtmp: 1935 } as const

/** Usage of the stand-alone service. */
export const usage = `Usage: npm run --silent service -- --data DIR [--api-port N] [--media-port N] [--rtmp-port N]
  [--bind-api ADDR] [--bind-media ADDR] [--bind-rtmp ADDR] [--time-zone ZONE] [--origin ORIGIN ...]
  [--public-url URL] [--public-api URL] [--public-link URL] [--public-rtmp URL] [--public-host HOST] [--trust-proxy RANGE[,RANGE ...] ...]
  [--tls-cert FILE --tls-key FILE [--https-port N] [--rtmps-port N]]
  [--restore-copy NAME|latest] [--begin-anew] [--copy-url URL] [--recording-reserve BYTES] [--recording-minute MS] [--plain-sign-in] [--faults]
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
--plain-sign-in lets accounts sign in to the client link from other computers without TLS, where others can read their tokens.
--restore-copy puts a copy, DIR/copies/NAME, in the place of a database that cannot be used; --begin-anew a new one.
  What was there is set aside in DIR/quarantine for 30 days. A database that can be used is left as it is.
--faults serves /local/service/faults, by which callers make operations fail: for tests of clients only.`

/** An invalid command line; the message is for the caller. */
export class UsageError extends Error {}

const text = { type: 'string' } as const
const options = {
  data: text,
  'api-port': text,
  'media-port': text,
  'rtmp-port': text,
  'bind-api': text,
  'bind-media': text,
  'bind-rtmp': text,
  'public-host': text,
  'public-url': text,
  'public-api': text,
  'public-link': text,
  'public-rtmp': text,
  'trust-proxy': { type: 'string', multiple: true },
  'tls-cert': text,
  'tls-key': text,
  'https-port': text,
  'rtmps-port': text,
  'time-zone': text,
  origin: { type: 'string', multiple: true },
  'copy-url': text,
  'recording-minute': text,
  'recording-reserve': text,
  'plain-sign-in': { type: 'boolean' },
  'restore-copy': text,
  'begin-anew': { type: 'boolean' },
  faults: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const hostShape = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

function port(flag: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise
  if (!/^[0-9]{1,5}$/.test(given) || Number(given) > 65_535)
    throw new UsageError(`--${flag} must be a port from 0 to 65535, not "${given}".`)
  return Number(given)
}

function bindAddress(flag: string, given: string | undefined): string {
  if (given === undefined || given === 'localhost') return '127.0.0.1'
  if (isIP(given) === 0) throw new UsageError(`--${flag} must be an IP address of this computer, not "${given}".`)
  return given
}

function zone(given: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
  } catch {
    throw new UsageError(`--time-zone must be an IANA zone such as Asia/Shanghai, not "${given}".`)
  }
}

function origin(given: string): string {
  const url = URL.parse(given)
  if (!url || url.origin !== given)
    throw new UsageError(`--origin must be an origin such as http://localhost:5173, not "${given}".`)
  return given
}

/** Options of public addresses. */
const publicSwitches = { media: 'public-url', api: 'public-api', link: 'public-link', rtmp: 'public-rtmp' } as const

function publicAddress(name: keyof typeof publicSwitches, given: string): string {
  const read = readPublicAddress(name, given)
  if (read === undefined)
    throw new UsageError(
      `--${publicSwitches[name]} must be an address such as ${publicAddressShapes[name].example}, not "${given}".`,
    )
  return read
}

function trustedProxies(given: readonly string[]): string[] {
  const ranges = given.flatMap((list) => list.split(',')).map((range) => range.trim())
  for (const range of ranges) {
    const fault = rangeFault(range)
    if (fault !== undefined) throw new UsageError(`--trust-proxy: ${fault}.`)
  }
  return ranges
}

type TlsChoices = Pick<ServiceChoices, 'tls' | 'httpsPort' | 'rtmpsPort'>

function tlsChoices(values: {
  readonly [name in 'tls-cert' | 'tls-key' | 'https-port' | 'rtmps-port']?: string | undefined
}): TlsChoices {
  const { 'tls-cert': certificateFile, 'tls-key': keyFile, 'https-port': https, 'rtmps-port': rtmps } = values
  if (Boolean(certificateFile) !== Boolean(keyFile)) {
    const [missing, given] = certificateFile ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key']
    throw new UsageError(`${missing} FILE is missing: ${given} needs it.`)
  }
  if (!certificateFile || !keyFile) {
    if (https !== undefined || rtmps !== undefined)
      throw new UsageError('--https-port and --rtmps-port need --tls-cert and --tls-key.')
    return {}
  }
  return {
    tls: { certificateFile, keyFile },
    ...(https !== undefined && { httpsPort: port('https-port', https, 0) }),
    ...(rtmps !== undefined && { rtmpsPort: port('rtmps-port', rtmps, 0) }),
  }
}

function copyUrl(given: string): string {
  const fault = addressFault(given)
  // The URL may contain a secret.
  if (fault !== undefined) throw new UsageError(`--copy-url: ${wordsOf(fault)}.`)
  return given
}

/** Values of the command line. */
export interface CommandLine extends ServiceChoices {
  readonly copyUrl?: string
  readonly plainSignIn?: boolean
  readonly faults?: boolean
}

/** Parses the command line; `help` if only the usage was requested. Throws UsageError. */
export function readCommandLine(argv: readonly string[], platform = process.platform): CommandLine | 'help' {
  let values: ReturnType<typeof parse>
  try {
    values = parse(argv)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      error instanceof Error
        ? `${error.message.split('. ')[0]!.replace(/\.$/, '')}.`
        : 'The command line is not readable.',
      {
        cause: error,
      },
    )
  }
  if (values.help) return 'help'
  if (!values.data) throw new UsageError('--data DIR is missing: name the directory where the service keeps its data.')
  const bad = unkeepableName(values.data, platform)
  if (bad !== undefined)
    throw new UsageError(`--data: Windows cannot keep the name "${bad}"; choose another directory.`)
  const listener = (name: 'api' | 'media' | 'rtmp'): ListenerChoice => ({
    host: bindAddress(`bind-${name}`, values[`bind-${name}`]),
    port: port(`${name}-port`, values[`${name}-port`], defaultPorts[name]),
  })
  const publicHost = values['public-host']
  if (publicHost !== undefined && isIP(publicHost) === 0 && !hostShape.test(publicHost))
    throw new UsageError(`--public-host must be a host name or an IP address without a port, not "${publicHost}".`)
  const publicAddresses: PublicAddresses = Object.fromEntries(
    (['media', 'api', 'link', 'rtmp'] as const).flatMap((name) => {
      const given = values[publicSwitches[name]]
      return given === undefined ? [] : [[name, publicAddress(name, given)]]
    }),
  )
  const timeZone = values['time-zone']
  const copy = values['restore-copy']
  if (copy !== undefined && values['begin-anew'])
    throw new UsageError('--restore-copy and --begin-anew cannot be used together.')
  if (copy !== undefined && !/^[A-Za-z0-9.-]{1,64}$/.test(copy))
    throw new UsageError(`--restore-copy must be "latest" or the name of a copy, not "${copy}".`)
  const recovery = copy !== undefined ? { copy } : values['begin-anew'] ? { copy: null } : undefined
  const named = (['api', 'media', 'rtmp', 'https', 'rtmps'] as const).filter(
    (name) => values[`${name}-port`] !== undefined,
  )
  const recording = readRecordingSwitches(values, (sentence) => new UsageError(sentence))
  return {
    dataDir: values.data,
    api: listener('api'),
    media: listener('media'),
    rtmp: listener('rtmp'),
    ...(publicHost !== undefined && { publicHost }),
    ...(Object.keys(publicAddresses).length > 0 && { publicAddresses }),
    ...(values['trust-proxy'] && { trustedProxies: trustedProxies(values['trust-proxy']) }),
    ...tlsChoices(values),
    ...(named.length > 0 && { namedPorts: named }),
    ...(timeZone !== undefined && { timeZone: zone(timeZone) }),
    ...(values.origin && { origins: values.origin.map(origin) }),
    ...(values['copy-url'] !== undefined && { copyUrl: copyUrl(values['copy-url']) }),
    ...(recording && { recording }),
    ...(recovery && { recovery }),
    ...(values['plain-sign-in'] && { plainSignIn: true }),
    ...(values.faults && { faults: true }),
  }
}

function parse(argv: readonly string[]) {
  const { values, tokens } = parseArgs({
    args: [...argv],
    options,
    strict: true,
    allowPositionals: false,
    tokens: true,
  })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    if (seen.has(name) && !('multiple' in options[name])) throw new UsageError(`${rawName} is given twice.`)
    seen.add(name)
  }
  return values
}
