/**
 * How a shell's companion runs the service in a process of its own: the messages on the process channel. Secrets travel here and
 * nowhere else, never in argv or the environment.
 */

/** Where a listener binds, and the port it wants (0: any free one). */
export interface ListenerChoice {
  readonly host: string
  readonly port: number
}

/** How the service records whatever its channels: for small disks, and for tests. */
export interface RecordingChoices {
  /** Length of a "minute" of a slice (1-live, setAlwaysRecord, `duration`) in ms; tests make slices short with it. A minute when absent. */
  readonly minute?: number
  /** Bytes of the disk that recording leaves free; 512 MiB when absent. */
  readonly reserve?: number
}

/** The switches that set them on each command line, and what they may be. The shortest slice, 5 minutes, never comes below 1 s. */
const recordingSwitches = {
  minute: { flag: 'recording-minute', unit: 'ms', min: 200, max: 60_000 },
  reserve: { flag: 'recording-reserve', unit: 'bytes', min: 0, max: 2 ** 50 },
} as const

/** Values of the switches of recording as they were typed. */
export type RecordingSwitches = {
  readonly [name in (typeof recordingSwitches)[keyof typeof recordingSwitches]['flag']]?: string | undefined
}

const inRange = (name: keyof RecordingChoices, value: unknown): boolean =>
  Number.isInteger(value) &&
  Number(value) >= recordingSwitches[name].min &&
  Number(value) <= recordingSwitches[name].max

/** Reads the switches of recording; undefined when none is there. Throws what `refusal` makes of a sentence for a person. */
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

/** The switches that make another process record as these choices say. */
export const writeRecordingSwitches = (choices: RecordingChoices = {}): string[] =>
  (['minute', 'reserve'] as const).flatMap((name) =>
    choices[name] === undefined ? [] : [`--${recordingSwitches[name].flag}`, String(choices[name])],
  )

/** Whether something from the process channel is such choices, each in its range, and nothing else. */
export const isRecordingChoices = (value: unknown): value is RecordingChoices =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, each]) => (name === 'minute' || name === 'reserve') && inRange(name, each))

/** Addresses as people reach the service, where they are not those of its listeners; without a slash at the end. */
export interface PublicAddresses {
  /** Root of the media side: `http` or `https`, with a path where a proxy serves it below one. */
  readonly media?: string
  /** Root of the signed operations. */
  readonly api?: string
  /** The client link whole, `ws` or `wss`; that of the media side when absent. */
  readonly link?: string
  /** Root of the RTMP side, `rtmp` or `rtmps`; the host of the media side with the listener's port when absent, that of the listener with null. */
  readonly rtmp?: string | null
}

/** Why the main database cannot be used: it was there and is gone, is damaged, was made by a newer version, is no file, or may not be read. */
export type DatabaseFaultKind = 'missing' | 'damaged' | 'newer' | 'notAFile' | 'unreadable'

/** A main database that cannot be used, and the copies that can take its place, newest first. */
export interface DatabaseTrouble {
  readonly kind: DatabaseFaultKind
  /** What SQLite or the system says. */
  readonly detail: string
  readonly copies: readonly { readonly name: string; readonly at: number; readonly bytes: number }[]
}

/** What a person decided: the name of a copy, `latest`, or null for a new database. What was there is set aside. */
export interface DatabaseRecovery {
  readonly copy: string | null
}

/** What a service needs to start, without its secrets. */
export interface ServiceChoices {
  readonly dataDir: string
  readonly api: ListenerChoice
  readonly media: ListenerChoice
  readonly rtmp: ListenerChoice
  /** Host name put into addresses; the bound address when absent. Ports stay those of the listeners. */
  readonly publicHost?: string
  readonly publicAddresses?: PublicAddresses
  /** Ranges of proxies whose word on the client's address and scheme is taken; nobody's when absent. */
  readonly trustedProxies?: readonly string[]
  /** IANA zone for file names and statistics; the system's when absent. */
  readonly timeZone?: string
  /** Origins that may read media and open the client link from a page. */
  readonly origins?: readonly string[]
  readonly recording?: RecordingChoices
  /** Folder of the built viewers' page; it is not served when absent. */
  readonly watchDir?: string
  /** Puts another database in the place of the present one at this start. */
  readonly recovery?: DatabaseRecovery
}

/** An application's credentials. */
export interface Credentials {
  readonly appKey: string
  readonly appSecret: string
}

/** What a service says of itself when callers can begin; the stand-alone service prints it as one line. */
export interface ServiceReady {
  readonly event: 'ready'
  readonly appKey: string
  readonly baseUrl: string
  readonly imBaseUrl: string
  readonly mediaUrl: string
  readonly rtmpUrl: string
  readonly linkUrl: string
}

/** A port that was taken, and what was used instead. */
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
  /** With the addresses of its listeners, whatever others are told. */
  | { readonly type: 'ready'; readonly ready: ServiceReady; readonly notes: readonly PortNote[] }
  /** Once a second while its event loop turns, with how many packets of media came so far. */
  | { readonly type: 'beat'; readonly media: number }
  | { readonly type: 'failed'; readonly reason: string; readonly database?: DatabaseTrouble }
  | { readonly type: 'stopped' }
