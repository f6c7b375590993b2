import { isIP } from 'node:net'
import path from 'node:path'
import { deliveredStatus, signHeader } from '../../contract/callbacks/recording.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import type { AppEvent, Delivery, Receiver } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../clock.ts'
import { Failure, reasonOf } from '../failure.ts'
import { isLoopbackName } from '../profiles/address.ts'
import { localProfileId } from '../profiles/profiles.ts'
import type { Vault } from '../secrets/vault.ts'
import { isStale, readCallback, type Reading } from './callback-check.ts'
import { callbackPath, listenForCallbacks, postMessage, type CallbackListener, type Incoming } from './callback-listener.ts'
import { openDeliveryLog, type Place } from './delivery-log.ts'

/** Receivers of recording callbacks, one per profile: verified, without duplicates, kept, and tried out on request. They throw Failure. */
export interface Receivers {
  state(profileId: string): Promise<Receiver>
  start(profileId: string, host: string, port: number): Promise<Receiver>
  stop(profileId: string): Promise<Receiver>
  register(profileId: string, url: string | undefined): Promise<{ url: string }>
  deliveries(profileId: string, limit: number): Delivery[]
  replay(profileId: string, id: number): Promise<Delivery>
  tamper(profileId: string, id: number, field: string | undefined): Promise<Delivery>
  signKey(profileId: string): Promise<{ signKey: string }>
  setSignKey(profileId: string, signKey: string, atService: boolean): Promise<void>
  /** Listens again where it did when the app ran last. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** What receivers need. */
export interface ReceiverPorts {
  readonly dataDir: string
  readonly vault: Vault
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly client: (profileId: string) => Promise<Client>
  readonly profiles: {
    find(id: string): { readonly kind: 'local' | 'hosted'; readonly liveUrl: string }
    all(): readonly { readonly id: string }[]
    on(listener: () => void): () => void
  }
  readonly post: (event: AppEvent) => void
  readonly log: (line: string) => void
}

/** A key that the embedded service was asked for is good for this long, in ms; with a signature that is not right it is asked again at most this often. */
const keyLife = 60_000
const keyAskEvery = 2_000
const defaultPlace: Place = { host: '127.0.0.1', port: 0, on: false }

/** What is kept of a message from nobody knows whom. */
const excerpt = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, 16)
      .map(([name, value]) => [name.slice(0, 64), value.slice(0, 256)]),
  )
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)
/** The address at which this computer itself reaches a listener. */
const hereOf = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)

/** Opens DATA/receivers.db. Rejects when it is damaged. */
export function createReceivers(ports: ReceiverPorts): Receivers {
  const { clock, random, vault, profiles } = ports
  const log = openDeliveryLog(path.join(ports.dataDir, 'receivers.db'))
  const listening = new Map<string, CallbackListener>()
  const reasons = new Map<string, string>()
  const keys = new Map<string, { readonly key: string; readonly asked: number }>()
  const tests = new Map<string, { readonly kind: 'replay' | 'tamper'; readonly arrived: (delivery: Delivery) => void }>()
  let last: Promise<unknown> = Promise.resolve()

  /** Starts and stops are carried out one after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const account = (profileId: string): string => `callback:${profileId}`
  const kept = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw error instanceof Failure ? error : new Failure('keychain', reasonOf(error))
    }
  }

  /** The embedded service tells its key; that of a hosted one is what a person entered. */
  const keyOf = async (profileId: string, younger = keyLife): Promise<string | undefined> => {
    const known = keys.get(profileId)
    if (known && clock.now() - known.asked < younger) return known.key
    const key =
      profileId === localProfileId ? (await (await ports.client(profileId)).call(local.callback, {})).ret.signKey : await kept(vault.get(account(profileId)))
    if (key !== undefined) keys.set(profileId, { key, asked: clock.now() })
    return key
  }
  const stateOf = async (profileId: string): Promise<Receiver> => {
    const { kind, liveUrl } = profiles.find(profileId)
    const { host, port, on } = log.place(profileId) ?? defaultPlace
    const listener = listening.get(profileId)
    const known = kind === 'local' || (await keyOf(profileId).catch(() => undefined)) !== undefined
    return {
      profileId,
      phase: listener ? 'listening' : on ? 'failed' : 'off',
      host,
      port: listener?.port ?? port,
      url: listener ? `http://${inUrl(hereOf(host))}:${listener.port}${callbackPath}` : null,
      reason: listener || !on ? null : (reasons.get(profileId) ?? 'it was not started yet'),
      mustBeReachable: kind === 'hosted' && !isLoopbackName(new URL(liveUrl).hostname),
      open: !isLoopbackName(host),
      keyKnown: known,
    }
  }
  const tell = async (profileId: string): Promise<Receiver> => {
    const receiver = await stateOf(profileId)
    ports.post({ type: 'receiver', receiver })
    return receiver
  }

  const judge = async (profileId: string, { body, sign }: Incoming): Promise<Reading | undefined> => {
    const key = await keyOf(profileId)
    if (key === undefined) return undefined
    const reading = readCallback(body, sign, key)
    if (reading.kind !== 'forged') return reading
    // The key may have been changed at the service since it was asked for.
    const newer = await keyOf(profileId, keyAskEvery)
    return newer === undefined || newer === key ? reading : readCallback(body, sign, newer)
  }
  const receive = async (profileId: string, incoming: Incoming): Promise<number> => {
    const reading = await judge(profileId, incoming)
    // Not this message's fault: the sender shall come again.
    if (!reading) return 503
    const test = incoming.test === undefined ? undefined : tests.get(incoming.test)
    const now = clock.now()
    const delivery = log.keep({
      profileId,
      at: now,
      verdict: reading.kind,
      test: test?.kind ?? null,
      from: incoming.from,
      why: reading.kind === 'genuine' ? null : reading.why,
      fields: reading.kind === 'genuine' ? reading.fields : excerpt(reading.fields),
      ...(reading.kind === 'genuine' && { nId: reading.nId }),
      stale: (firstSeen) => isStale(reading.fields, now, firstSeen),
      sign: incoming.sign ?? '',
      body: incoming.body.toString('utf8'),
    })
    test?.arrived(delivery)
    ports.post({ type: 'delivery', profileId, delivery })
    return reading.kind === 'genuine' ? deliveredStatus : reading.kind === 'forged' ? 403 : 400
  }

  const end = async (profileId: string): Promise<void> => {
    const listener = listening.get(profileId)
    listening.delete(profileId)
    await listener?.close()
  }
  const begin = async (profileId: string, host: string, port: number): Promise<void> => {
    await end(profileId)
    try {
      const listener = await listenForCallbacks(host, port, async (incoming) => {
        try {
          return await receive(profileId, incoming)
        } catch (error) {
          ports.log(`a callback could not be taken: ${reasonOf(error)}`)
          return 503
        }
      })
      listening.set(profileId, listener)
      reasons.delete(profileId)
      log.setPlace(profileId, { host, port: listener.port, on: true })
    } catch (error) {
      const code = (error as { code?: unknown }).code
      const words: Record<string, string> = {
        EADDRINUSE: `port ${port} is taken`,
        EACCES: `port ${port} may not be used`,
        EADDRNOTAVAIL: `${host} is not an address of this computer`,
      }
      reasons.set(profileId, (typeof code === 'string' ? words[code] : undefined) ?? reasonOf(error))
      log.setPlace(profileId, { host, port, on: true })
    }
  }

  const send = async (profileId: string, kind: 'replay' | 'tamper', message: { readonly body: string; readonly sign: string }): Promise<Delivery> => {
    const listener = listening.get(profileId)
    if (!listener) throw new Failure('absent', 'the receiver does not listen')
    const token = random(16).toString('hex')
    const arrival = Promise.withResolvers<Delivery>()
    tests.set(token, { kind, arrived: arrival.resolve })
    try {
      const target = { host: hereOf(log.place(profileId)?.host ?? defaultPlace.host), port: listener.port, path: callbackPath }
      const status = await postMessage(target, { body: message.body, headers: { [signHeader]: message.sign }, test: token })
      if (status === 503) throw new Failure('absent', 'the receiver knows no signing key now')
      return await arrival.promise
    } finally {
      tests.delete(token)
    }
  }
  const original = (profileId: string, id: number): { body: string; sign: string } => {
    const found = log.original(profileId, id)
    if (!found) throw new Failure('absent', 'there is no such message, or it is not genuine')
    return found
  }

  const offProfiles = profiles.on(() => {
    const there = new Set(profiles.all().map(({ id }) => id))
    for (const profileId of log.places().keys())
      if (!there.has(profileId))
        void inTurn(async () => {
          await end(profileId)
          log.forget(profileId)
          keys.delete(profileId)
          await vault.delete(account(profileId)).catch(() => undefined)
        })
  })

  return {
    state: stateOf,
    start: (profileId, host, port) =>
      inTurn(async () => {
        profiles.find(profileId)
        await begin(profileId, host, port)
        return tell(profileId)
      }),
    stop: (profileId) =>
      inTurn(async () => {
        await end(profileId)
        const place = log.place(profileId)
        if (place) log.setPlace(profileId, { ...place, on: false })
        return tell(profileId)
      }),
    register: async (profileId, given) => {
      const { url: here, mustBeReachable } = await stateOf(profileId)
      if (given === undefined && mustBeReachable) throw new Failure('absent', 'name the address at which the service reaches this computer')
      const url = given ?? here
      if (url === null) throw new Failure('absent', 'the receiver does not listen')
      await (await ports.client(profileId)).call(recordings.setCallback, { recordClk: url })
      return { url }
    },
    deliveries: (profileId, limit) => {
      profiles.find(profileId)
      return log.list(profileId, limit)
    },
    replay: async (profileId, id) => send(profileId, 'replay', original(profileId, id)),
    tamper: async (profileId, id, field = 'video_name') => {
      const { body, sign } = original(profileId, id)
      const fields = JSON.parse(body) as Record<string, unknown>
      if (!Object.hasOwn(fields, field)) throw new Failure('absent', `the message has no ${field}`)
      return send(profileId, 'tamper', { body: JSON.stringify({ ...fields, [field]: `${String(fields[field])}0` }), sign })
    },
    signKey: async (profileId) => {
      profiles.find(profileId)
      const signKey = await keyOf(profileId, 0)
      if (signKey === undefined) throw new Failure('secret', 'no signing key is kept for this profile')
      return { signKey }
    },
    setSignKey: async (profileId, signKey, atService) => {
      const { kind } = profiles.find(profileId)
      if (atService || kind === 'local') await (await ports.client(profileId)).call(recordings.setSignKey, { signKey })
      if (kind === 'hosted') await kept(vault.set(account(profileId), signKey))
      keys.set(profileId, { key: signKey, asked: clock.now() })
      await tell(profileId)
    },
    resume: () =>
      inTurn(async () => {
        for (const [profileId, { host, port, on }] of log.places()) {
          if (!on || !profiles.all().some(({ id }) => id === profileId)) continue
          await begin(profileId, host, port)
          await tell(profileId)
        }
      }),
    close: async () => {
      offProfiles()
      await last
      await Promise.all([...listening.keys()].map(end))
      log.close()
    },
  }
}
