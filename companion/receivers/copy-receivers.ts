import { isIP } from 'node:net'
import path from 'node:path'
import { copyHeaders } from '../../contract/callbacks/copy.ts'
import { local } from '../../contract/operations/index.ts'
import type { CopyReceiver, ReceivedCopy } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../clock.ts'
import { Failure, reasonOf } from '../failure.ts'
import { isLoopbackName } from '../profiles/address.ts'
import { listenForCallbacks, postMessage, type CallbackListener, type Incoming } from './callback-listener.ts'
import { readCopy } from './copy-check.ts'
import { openCopyLog } from './copy-log.ts'
import type { Place } from './delivery-log.ts'

/** Receivers of message copies, one per profile: verified, without duplicates, kept, and tried out on request. They throw Failure. */
export interface CopyReceivers {
  state(profileId: string): CopyReceiver
  start(profileId: string, host: string, port: number): Promise<CopyReceiver>
  stop(profileId: string): Promise<CopyReceiver>
  list(profileId: string, limit: number): ReceivedCopy[]
  replay(profileId: string, id: number): Promise<ReceivedCopy>
  tamper(profileId: string, id: number): Promise<ReceivedCopy>
  target(profileId: string): Promise<{ url: string | null; kinds: number[] }>
  setTarget(profileId: string, url: string | null, kinds: readonly number[]): Promise<void>
  /** Listens again where it did when the app ran last. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** What receivers of copies need. */
export interface CopyReceiverPorts {
  readonly dataDir: string
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly client: (profileId: string) => Promise<Client>
  readonly profiles: {
    find(id: string): { readonly kind: 'local' | 'hosted' }
    all(): readonly { readonly id: string }[]
    on(listener: () => void): () => void
    /** Rejects when the secret is not known now. */
    service(id: string): Promise<{ readonly appSecret: string }>
  }
  readonly receiverChanged: (receiver: CopyReceiver) => void
  readonly arrived: (profileId: string, copy: ReceivedCopy) => void
  readonly log: (line: string) => void
}

/** The path that copies go to. */
export const copyPath = '/copy'
/** Body of a copy in bytes: the members of a team of 5,000 fit. */
const bodyMost = 512 * 1024
/** A copy signed longer ago than this, in ms, or that far ahead, is stale: every attempt is signed anew. */
const staleAfter = 300_000
const defaultPlace: Place = { host: '127.0.0.1', port: 0, on: false }
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)
const hereOf = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)
/** The digest headers of a message, to send it again. */
const signed = (incoming: Incoming): Record<string, string> =>
  Object.fromEntries(
    Object.values(copyHeaders).flatMap((name) => {
      const value = incoming.headers[name.toLowerCase()]
      return typeof value === 'string' ? [[name, value.slice(0, 256)]] : []
    }),
  )

/** Opens DATA/copies.db. Throws when it is damaged. */
export function createCopyReceivers(ports: CopyReceiverPorts): CopyReceivers {
  const { clock, profiles } = ports
  const log = openCopyLog(path.join(ports.dataDir, 'copies.db'))
  const listening = new Map<string, { readonly listener: CallbackListener; ignored: number }>()
  const reasons = new Map<string, string>()
  const tests = new Map<string, { readonly kind: 'replay' | 'tamper'; readonly arrived: (copy: ReceivedCopy) => void }>()
  let last: Promise<unknown> = Promise.resolve()

  /** Starts and stops are carried out one after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const stateOf = (profileId: string): CopyReceiver => {
    const { kind } = profiles.find(profileId)
    const { host, port, on } = log.places().get(profileId) ?? defaultPlace
    const running = listening.get(profileId)
    return {
      profileId,
      phase: running ? 'listening' : on ? 'failed' : 'off',
      host,
      port: running?.listener.port ?? port,
      url: running ? `http://${inUrl(hereOf(host))}:${running.listener.port}${copyPath}` : null,
      reason: running || !on ? null : (reasons.get(profileId) ?? 'it was not started yet'),
      open: !isLoopbackName(host),
      verification: kind === 'local' ? 'checked' : 'unverified',
      ignored: running?.ignored ?? 0,
    }
  }
  const tell = (profileId: string): CopyReceiver => {
    const receiver = stateOf(profileId)
    ports.receiverChanged(receiver)
    return receiver
  }

  const receive = async (profileId: string, incoming: Incoming): Promise<number> => {
    const strict = profiles.find(profileId).kind === 'local'
    const appSecret = await profiles.service(profileId).then(
      (service) => service.appSecret,
      () => undefined,
    )
    // Not this message's fault: the sender shall come again.
    if (strict && appSecret === undefined) return 503
    const reading = readCopy(incoming.body, incoming.headers, { appSecret, strict })
    const genuine = reading.kind === 'genuine'
    const running = listening.get(profileId)
    if (genuine && reading.what === 'ignored' && running) running.ignored++
    const test = incoming.test === undefined ? undefined : tests.get(incoming.test)
    const now = clock.now()
    const copy = log.keep({
      profileId,
      at: now,
      verdict: !genuine ? reading.kind : reading.what === 'copy' ? 'accepted' : reading.what,
      verified: genuine && reading.verified,
      stale: genuine && reading.signed !== undefined && Math.abs(now - reading.signed) > staleAfter,
      test: test?.kind ?? null,
      from: incoming.from,
      why: reading.why,
      fields: reading.fields,
      ...(genuine && { once: reading.once }),
      headers: signed(incoming),
      body: incoming.body.toString('utf8'),
    })
    test?.arrived(copy)
    ports.arrived(profileId, copy)
    return genuine ? 200 : reading.kind === 'forged' ? 403 : 400
  }

  const end = async (profileId: string): Promise<void> => {
    const running = listening.get(profileId)
    listening.delete(profileId)
    await running?.listener.close()
  }
  const begin = async (profileId: string, host: string, port: number): Promise<void> => {
    await end(profileId)
    try {
      const take = async (incoming: Incoming): Promise<number> => {
        try {
          return await receive(profileId, incoming)
        } catch (error) {
          ports.log(`a message copy could not be taken: ${reasonOf(error)}`)
          return 503
        }
      }
      const listener = await listenForCallbacks(host, port, take, { path: copyPath, most: bodyMost })
      listening.set(profileId, { listener, ignored: 0 })
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

  const send = async (profileId: string, kind: 'replay' | 'tamper', id: number, change: (body: string) => string): Promise<ReceivedCopy> => {
    const running = listening.get(profileId)
    if (!running) throw new Failure('absent', 'the receiver does not listen')
    const original = log.original(profileId, id)
    if (!original) throw new Failure('absent', 'there is no such copy, or it is not genuine')
    const token = ports.random(16).toString('hex')
    const arrival = Promise.withResolvers<ReceivedCopy>()
    tests.set(token, { kind, arrived: arrival.resolve })
    try {
      const target = { host: hereOf(stateOf(profileId).host), port: running.listener.port, path: copyPath }
      const status = await postMessage(target, { body: change(original.body), headers: original.headers, test: token })
      if (status === 503) throw new Failure('absent', 'the receiver knows no AppSecret now')
      return await arrival.promise
    } finally {
      tests.delete(token)
    }
  }

  const offProfiles = profiles.on(() => {
    const there = new Set(profiles.all().map(({ id }) => id))
    for (const profileId of log.places().keys())
      if (!there.has(profileId))
        void inTurn(async () => {
          await end(profileId)
          log.forget(profileId)
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
        const place = log.places().get(profileId)
        if (place) log.setPlace(profileId, { ...place, on: false })
        return tell(profileId)
      }),
    list(profileId, limit) {
      profiles.find(profileId)
      return log.list(profileId, limit)
    },
    replay: (profileId, id) => send(profileId, 'replay', id, (body) => body),
    tamper: (profileId, id) => send(profileId, 'tamper', id, (body) => `${body.slice(0, -1)} ${body.slice(-1)}`),
    async target(profileId) {
      const { url, kinds } = (await (await ports.client(profileId)).call(local.copyTarget, {})).ret
      return { url: url ?? null, kinds }
    },
    async setTarget(profileId, url, kinds) {
      await (await ports.client(profileId)).call(local.setCopyTarget, { ...(url !== null && { url }), kinds: [...kinds] })
    },
    resume: () =>
      inTurn(async () => {
        for (const [profileId, { host, port, on }] of log.places()) {
          if (!on || !profiles.all().some(({ id }) => id === profileId)) continue
          await begin(profileId, host, port)
          tell(profileId)
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
