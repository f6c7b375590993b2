import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { addressFault } from './outbox/address-guard.ts'
import { wordsOf } from './outbox/reason-words.ts'
import { publicAddressFault, publicAddressShapes, rangeFault, readPublicAddress } from '../contract/public-addresses.ts'
import type { HooksChoice } from './ingest-servers/ingest-servers.ts'
import { readHooksSwitches } from './ingest-servers/hooks-switches.ts'
import { unkeepableName } from '../platform/path-names.ts'
import { defaultPorts } from './usage.ts'
import {
  readRecordingSwitches,
  type ListenerChoice,
  type PublicAddresses,
  type ServiceChoices,
} from '../contract/service-process.ts'

/** The most that may be asked of a drain, in s. */
const maxDrain = 600

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
  'metrics-port': text,
  'metrics-host': text,
  'hooks-port': text,
  'hooks-host': text,
  'hooks-way': text,
  'ingest-server': { type: 'string', multiple: true },
  'drain-seconds': text,
  'recording-minute': text,
  'recording-reserve': text,
  node: text,
  'node-media': text,
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

function metricsChoice(givenPort: string | undefined, host: string | undefined): ListenerChoice | undefined {
  if (givenPort !== undefined)
    return { host: bindAddress('metrics-host', host), port: port('metrics-port', givenPort, 0) }
  if (host !== undefined) throw new UsageError('--metrics-host needs --metrics-port.')
  return undefined
}

function drain(given: string): number {
  if (!/^[0-9]{1,3}$/.test(given) || Number(given) > maxDrain)
    throw new UsageError(`--drain-seconds must be a number from 0 to ${maxDrain}, not "${given}".`)
  return Number(given) * 1000
}

function nodeName(given: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,31})$/.test(given))
    throw new UsageError(`--node must be 1 to 32 lower-case letters, digits and -, not "${given}".`)
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

function publicAddress(name: keyof typeof publicSwitches, given: string, flag: string = publicSwitches[name]): string {
  const read = readPublicAddress(name, given)
  if (read === undefined)
    throw new UsageError(
      `--${flag} must be an address such as ${publicAddressShapes[name].example}, not "${given}": ` +
        `${publicAddressFault(name, given)}.`,
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
  /** Name of this service among those that share a database. */
  readonly node?: string
  /** Root of its media side, by which players reach it and no other. */
  readonly nodeMedia?: string
  /** Where `/healthz`, `/readyz` and `/metrics` are served; nowhere when absent. */
  readonly metrics?: ListenerChoice
  /** Where servers of other makes ask, to which encoders push; nowhere when absent. */
  readonly hooks?: HooksChoice
  /** What running requests may still take when the service ends, in ms. */
  readonly drain?: number
}

/** Parses the command line; `help` if only the usage was requested. Throws UsageError. */
export function readCommandLine(argv: readonly string[], platform = process.platform): CommandLine | 'help' {
  let values: ReturnType<typeof parse>
  try {
    values = parse(argv)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const unreadValue = valueFault(argv)
    if (unreadValue !== undefined) throw new UsageError(unreadValue, { cause: error })
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
  const metrics = metricsChoice(values['metrics-port'], values['metrics-host'])
  const hooks = readHooksSwitches(
    values,
    (host, given) => ({ host: bindAddress('hooks-host', host), port: port('hooks-port', given, 0) }),
    (sentence) => new UsageError(sentence),
  )
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
    ...(values.node !== undefined && { node: nodeName(values.node) }),
    ...(values['node-media'] !== undefined && {
      nodeMedia: publicAddress('media', values['node-media'], 'node-media'),
    }),
    ...(values.faults && { faults: true }),
    ...(metrics && { metrics }),
    ...(hooks && { hooks }),
    ...(values['drain-seconds'] !== undefined && { drain: drain(values['drain-seconds']) }),
  }
}

/** What is wrong where something like a switch stands in the place of a value; undefined where nothing does. */
function valueFault(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word, index) => isNamed(word) && argv[index + 1]?.startsWith('-'))
  const [flag, next] = argv.slice(at, at + 2)
  return at < 0
    ? undefined
    : `${flag} needs a value: "${next}" is read as a switch; write ${flag}=${next} if it is meant.`
}

/** Whether a word is a switch with a value, which is the next word. */
const isNamed = (word: string): boolean =>
  Object.entries(options).some(([name, { type }]) => word === `--${name}` && type === 'string')

/** With numbers below 0 as values of the switches before them, so that they are told as what is wrong. */
const joined = (argv: readonly string[]): string[] =>
  argv.flatMap((word, index) => {
    const isBelow = (at: number): boolean => isNamed(argv[at - 1] ?? '') && /^-\d/.test(argv[at] ?? '')
    if (isBelow(index)) return []
    return isBelow(index + 1) ? [`${word}=${argv[index + 1]}`] : [word]
  })

function parse(argv: readonly string[]) {
  const { values, tokens } = parseArgs({
    args: joined(argv),
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
