import { isIP } from 'node:net'
import { inBackground } from '../background.ts'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { Receiver } from '../../contract/rpc/index.ts'
import { Failure, reasonOf as messageOf } from '../failure.ts'
import { listenReason } from '../listen-reason.ts'
import { isLoopbackName } from '../profiles/address.ts'
import { listenForCallbacks, postMessage, type CallbackListener, type Incoming } from './callback-listener.ts'
import type { ListenerBounds } from '../../platform/bounded-listener.ts'
import { createCompanionBounds } from '../listener-bounds.ts'
import type { Place, Places } from './receiver-database.ts'
import { createSerial } from '../../platform/serial.ts'

/** A test message of the app to its own receiver. */
export interface Trial<T> {
  readonly kind: 'replay' | 'tamper'
  readonly arrived: (what: T) => void
}

/** Listeners of one kind of receivers, one per profile. */
interface Listening<T> {
  state(profileId: string): Pick<Receiver, 'phase' | 'host' | 'port' | 'url' | 'reason' | 'open'>
  /** Port 0: any free one. Failures show in `state`. */
  start(profileId: string, host: string, port: number): Promise<void>
  stop(profileId: string): Promise<void>
  /** Listens again as before the app ended; `each` is called for each one. */
  resume(each: (profileId: string) => void): Promise<void>
  trialOf(incoming: Incoming): Trial<T> | undefined
  /** Resolves with the receiver's result. Throws Failure when it does not listen. */
  send(
    profileId: string,
    kind: Trial<T>['kind'],
    message: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  ): Promise<T>
  close(): Promise<void>
}

const defaultPlace: Place = { host: '127.0.0.1', port: 0, on: false }
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)
/** A listener's address for this computer itself. */
const hereOf = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)

/** Makes the listeners; none listens yet. */
export function createListening<T>(ports: {
  readonly path: string
  readonly maxBody: number
  /** The usual ones when absent. */
  readonly bounds?: ListenerBounds | undefined
  readonly places: Places
  readonly random: (bytes: number) => Buffer
  readonly profiles: {
    all(): readonly { readonly id: string }[]
    on(listener: () => void): () => void
  }
  /** Returns an HTTP status; 503 when the secret is unknown. */
  readonly receive: (profileId: string, incoming: Incoming) => Promise<number>
  /** Called after a profile's listener is closed. */
  readonly removed: (profileId: string) => Promise<void>
  /** For log and failures. */
  readonly words: { readonly message: string; readonly secret: string }
  readonly log: (line: string) => void
}): Listening<T> {
  const { places, profiles, path } = ports
  const bounds = ports.bounds ?? createCompanionBounds({ log: ports.log }).receiver
  const listening = new Map<string, CallbackListener>()
  const reasons = new Map<string, ReasonOf<'listener'>>()
  const trials = new Map<string, Trial<T>>()
  const inTurn = createSerial()
  const placeOf = (profileId: string): Place => places.all().get(profileId) ?? defaultPlace
  const end = async (profileId: string): Promise<void> => {
    const listener = listening.get(profileId)
    listening.delete(profileId)
    await listener?.close()
  }
  /** Throws when the disk refuses; unchanged places are not written. */
  const keep = (profileId: string, place: Place): void => {
    const { host, port, on } = places.all().get(profileId) ?? {}
    if (host !== place.host || port !== place.port || on !== place.on) places.set(profileId, place)
  }
  const begin = async (profileId: string, host: string, port: number): Promise<void> => {
    // First: on a full disk nothing changes.
    keep(profileId, { host, port, on: true })
    await end(profileId)
    const take = async (incoming: Incoming): Promise<number> => {
      try {
        return await ports.receive(profileId, incoming)
      } catch (error) {
        ports.log(`a ${ports.words.message} could not be taken: ${messageOf(error)}`)
        return 503
      }
    }
    try {
      const listener = await listenForCallbacks(host, port, take, { path, most: ports.maxBody, bounds })
      listening.set(profileId, listener)
      reasons.delete(profileId)
    } catch (error) {
      reasons.set(profileId, listenReason(error, host, port))
      return
    }
    keep(profileId, { host, port: listening.get(profileId)?.port ?? port, on: true })
  }
  const present = (): Set<string> => new Set(profiles.all().map(({ id }) => id))
  let known = present()
  const offProfiles = profiles.on(() => {
    const there = present()
    // One that never listened may have a secret.
    const before = new Set([...known, ...places.all().keys()])
    known = there
    for (const profileId of before)
      if (!there.has(profileId))
        inBackground(
          inTurn(async () => {
            await end(profileId)
            await ports.removed(profileId)
          }),
          ports.log,
          'ending the receiver of a removed profile',
        )
  })

  return {
    state(profileId) {
      const { host, port, on } = placeOf(profileId)
      const listener = listening.get(profileId)
      return {
        phase: listener ? 'listening' : on ? 'failed' : 'off',
        host,
        port: listener?.port ?? port,
        url: listener ? `http://${inUrl(hereOf(host))}:${listener.port}${path}` : null,
        reason: listener || !on ? null : (reasons.get(profileId) ?? reasonOf('listener', 'notStarted')),
        open: !isLoopbackName(host),
      }
    },
    start: (profileId, host, port) => inTurn(() => begin(profileId, host, port)),
    stop: (profileId) =>
      inTurn(async () => {
        const place = places.all().get(profileId)
        if (place) keep(profileId, { ...place, on: false })
        await end(profileId)
      }),
    resume: (each) =>
      inTurn(async () => {
        for (const [profileId, { host, port, on }] of places.all()) {
          if (!on || !profiles.all().some(({ id }) => id === profileId)) continue
          await begin(profileId, host, port)
          each(profileId)
        }
      }),
    trialOf: ({ test }) => (test === undefined ? undefined : trials.get(test)),
    async send(profileId, kind, { body, headers }) {
      const listener = listening.get(profileId)
      if (!listener) throw new Failure('absent', 'the receiver does not listen')
      const token = ports.random(16).toString('hex')
      const arrival = Promise.withResolvers<T>()
      trials.set(token, { kind, arrived: arrival.resolve })
      try {
        const status = await postMessage(
          { host: hereOf(placeOf(profileId).host), port: listener.port, path },
          { body, headers, test: token },
        )
        if (status === 503) throw new Failure('absent', `the receiver knows no ${ports.words.secret} now`)
        return await arrival.promise
      } finally {
        trials.delete(token)
      }
    },
    close: async () => {
      offProfiles()
      await inTurn.idle()
      await Promise.all([...listening.keys()].map(end))
    },
  }
}
