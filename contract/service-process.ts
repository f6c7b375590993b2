import type { ReasonOf } from './catalogue/reasons.ts'

/** Messages between the companion and its service. Secrets are passed only here, never in argv or environment. */

/** Address and port of a listener (0: any free port). */
export interface ListenerChoice {
  readonly host: string
  readonly port: number
}

/** Recording options for all channels: for small disks, and for tests. */
export interface RecordingChoices {
  /** Length of a "minute" of a slice (1-live, `duration`) in ms; shorter in tests. */
  readonly minute?: number
  /** Bytes that recording keeps free; 512 MiB by default. */
  readonly reserve?: number
}

/** Their command line options and ranges. The shortest slice, 5 minutes, stays above 1 s. */
const recordingSwitches = {
  minute: { flag: 'recording-minute', unit: 'ms', min: 200, max: 60_000 },
  reserve: { flag: 'recording-reserve', unit: 'bytes', min: 0, max: 2 ** 50 },
} as const

/** Raw values of these options. */
export type RecordingSwitches = {
  readonly [name in (typeof recordingSwitches)[keyof typeof recordingSwitches]['flag']]?: string | undefined
}

const inRange = (name: keyof RecordingChoices, value: unknown): boolean =>
  Number.isInteger(value) &&
  Number(value) >= recordingSwitches[name].min &&
  Number(value) <= recordingSwitches[name].max

/** Parses the options; undefined if there are none. Throws the result of `refusal` for a message to the user. */
export function readRecordingSwitches(
  given: RecordingSwitches,
  refusal: (sentence: string) => Error,
): RecordingChoices | undefined {
  const read = (name: keyof RecordingChoices): number | undefined => {
    const { flag, unit, min, max } = recordingSwitches[name]
    const text = given[flag]
    if (text === undefined) return undefined
    if (!/^[0-9]{1,16}$/.test(text) || !inRange(name, Number(text)))
      throw refusal(`--${flag} must be a whole number of ${unit} from ${min} to ${max}, not "${text}".`)
    return Number(text)
  }
  const minute = read('minute')
  const reserve = read('reserve')
  return minute === undefined && reserve === undefined
    ? undefined
    : { ...(minute !== undefined && { minute }), ...(reserve !== undefined && { reserve }) }
}

/** Options that pass these choices to another process. */
export const writeRecordingSwitches = (choices: RecordingChoices = {}): string[] =>
  (['minute', 'reserve'] as const).flatMap((name) =>
    choices[name] === undefined ? [] : [`--${recordingSwitches[name].flag}`, String(choices[name])],
  )

/** Validates choices from the process channel. */
export const isRecordingChoices = (value: unknown): value is RecordingChoices =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, each]) => (name === 'minute' || name === 'reserve') && inRange(name, each))

const isPort = (value: unknown): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535)
const isFile = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 4096

/** Validates what the process channel says of encryption. */
export const isTlsChoices = ({
  tls,
  httpsPort,
  rtmpsPort,
}: { readonly [name in keyof ServiceChoices]?: unknown }): boolean =>
  isPort(httpsPort) &&
  isPort(rtmpsPort) &&
  (tls === undefined
    ? httpsPort === undefined && rtmpsPort === undefined
    : typeof tls === 'object' &&
      tls !== null &&
      isFile((tls as Record<string, unknown>)['certificateFile']) &&
      isFile((tls as Record<string, unknown>)['keyFile']))

/** Public addresses where they differ from the listeners'; without trailing slash. */
export interface PublicAddresses {
  /** Media root: `http` or `https`, with the path prefix of a proxy. */
  readonly media?: string
  /** Root of the signed operations. */
  readonly api?: string
  /** Complete link address, `ws` or `wss`; by default on the media root. */
  readonly link?: string
  /** RTMP root, `rtmp` or `rtmps`; by default the media host with the listener's port, with null the listener's own. */
  readonly rtmp?: string | null
}

/** Why the main database is unusable: missing, damaged, from a newer version, not a file, or no permission. */
export type DatabaseFaultKind = 'missing' | 'damaged' | 'newer' | 'notAFile' | 'unreadable'

/** An unusable main database, and copies that can replace it, newest first. */
export interface DatabaseReport {
  readonly kind: DatabaseFaultKind
  /** Message of SQLite or the system. */
  readonly detail: string
  readonly copies: readonly { readonly name: string; readonly at: number; readonly bytes: number }[]
}

/** What the user decided on an unusable database: name of a copy, `latest`, or null for a new one. */
export interface DatabaseRecovery {
  readonly copy: string | null
}

/** Options of a service, without secrets. */
export interface ServiceChoices {
  readonly dataDir: string
  readonly api: ListenerChoice
  readonly media: ListenerChoice
  readonly rtmp: ListenerChoice
  /** Host name in addresses; by default the bound address. Ports are the listeners'. */
  readonly publicHost?: string
  readonly publicAddresses?: PublicAddresses
  /** Ranges of trusted proxies; none by default. */
  readonly trustedProxies?: readonly string[]
  /** Files of a certificate chain and its key in PEM, read again when they change. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string }
  /** Port of the media side over HTTPS, on all addresses; needs the certificate. */
  readonly httpsPort?: number
  /** Port of RTMPS, on all addresses; needs the certificate. */
  readonly rtmpsPort?: number
  /** Ports that must not move: a taken one ends the start. By default the next free one is used, and said. */
  readonly namedPorts?: readonly ('api' | 'media' | 'rtmp' | 'https' | 'rtmps')[]
  /** IANA zone for file names and statistics; by default the system's. */
  readonly timeZone?: string
  /** Origins whose pages may read media and open the client link. */
  readonly origins?: readonly string[]
  readonly recording?: RecordingChoices
  /** Folder of the built watch page; not served by default. */
  readonly watchDir?: string
  /** Replaces the database at this start if it is unusable. */
  readonly recovery?: DatabaseRecovery
}

/** An application's credentials. */
export interface Credentials {
  readonly appKey: string
  readonly appSecret: string
}

/** A service's description once it accepts calls; the stand-alone service prints it as one line. */
export interface ServiceReady {
  readonly event: 'ready'
  readonly appKey: string
  readonly baseUrl: string
  readonly imBaseUrl: string
  readonly mediaUrl: string
  readonly rtmpUrl: string
  readonly linkUrl: string
}

/** A taken port, and the one used instead. */
export interface PortNote {
  readonly listener: 'api' | 'media' | 'rtmp'
  readonly wanted: number
  readonly used: number
  readonly holder?: string
}

/** From the companion to the service. */
export type ToService =
  | { readonly type: 'start'; readonly choices: ServiceChoices; readonly credentials: Credentials }
  | { readonly type: 'stop' }

/** From the service to the companion. */
export type FromService =
  /** With the addresses of its listeners, not the public ones. */
  | { readonly type: 'ready'; readonly ready: ServiceReady; readonly notes: readonly PortNote[] }
  /** Heartbeat once a second, with the number of media packets so far. */
  | { readonly type: 'beat'; readonly media: number }
  | { readonly type: 'failed'; readonly reason: ReasonOf<'service'>; readonly database?: DatabaseReport }
  | { readonly type: 'stopped' }
