import path from 'node:path'
import type { ListenerBounds } from '../../platform/bounded-listener.ts'
import { copyHeaders } from '../../contract/callbacks/copy.ts'
import { local } from '../../contract/operations/index.ts'
import type { CopyReceiver, ReceivedCopy, RpcInputs } from '../../contract/rpc/index.ts'
import { callsOf } from '../client/client.ts'
import { Failure } from '../failure.ts'
import type { Incoming } from './callback-listener.ts'
import { readCopy } from './copy-check.ts'
import { openCopyLog } from './copy-log.ts'
import { createListening, type Trial } from './listening.ts'
import type { PartPorts } from '../part-ports.ts'

interface CopyListener {
  readonly changed?: (receiver: CopyReceiver) => void
  /** Called before the sender is answered; throws to make it resend. */
  readonly arrived?: (profileId: string, copy: ReceivedCopy) => void
}

type Input = RpcInputs['copies']

/** Receivers of message copies, one per profile. Throws Failure. */
export type CopyReceivers = ReturnType<typeof createCopyReceivers>

/** Path of copies. */
export const copyPath = '/copy'
/** In bytes: a team of 5,000 members fits. */
const maxBody = 512 * 1024
/** In ms: every attempt is signed anew. */
const staleAfter = 300_000
const signed = (incoming: Incoming): Record<string, string> =>
  Object.fromEntries(
    Object.values(copyHeaders).flatMap((name) => {
      const value = incoming.headers[name.toLowerCase()]
      return typeof value === 'string' ? [[name, value.slice(0, 256)]] : []
    }),
  )

/** Opens DATA/copies.db; a damaged one is quarantined. */
export function createCopyReceivers(
  ports: Pick<PartPorts, 'dataDir' | 'clock' | 'random' | 'client' | 'isExtended' | 'log'> & {
    /** The usual ones when absent. */
    readonly bounds?: ListenerBounds | undefined
    readonly profiles: {
      find(id: string): unknown
      all(): readonly { readonly id: string }[]
      on(listener: () => void): () => void
      service(id: string): Promise<{ readonly appSecret: string }>
    }
  },
) {
  const { clock, isExtended, profiles } = ports
  const call = callsOf(ports.client)
  const log = openCopyLog(path.join(ports.dataDir, 'copies.db'))
  /** Copies of unknown kinds since it listens. */
  const ignored = new Map<string, number>()
  const listeners = new Set<CopyListener>()

  const state = ({ profileId }: Input['state']): CopyReceiver => {
    profiles.find(profileId)
    const verification = isExtended(profileId) ? 'checked' : 'unverified'
    return { profileId, ...listening.state(profileId), verification, ignored: ignored.get(profileId) ?? 0 }
  }
  const tell = (profileId: string): CopyReceiver => {
    const receiver = state({ profileId })
    for (const { changed } of listeners) changed?.(receiver)
    return receiver
  }

  const receive = async (profileId: string, incoming: Incoming): Promise<number> => {
    const strict = isExtended(profileId)
    const appSecret = await profiles.service(profileId).then(
      (service) => service.appSecret,
      () => undefined,
    )
    // The sender shall resend.
    if (strict && appSecret === undefined) return 503
    const reading = readCopy(incoming.body, incoming.headers, { appSecret, strict })
    const genuine = reading.kind === 'genuine'
    if (genuine && reading.what === 'ignored') ignored.set(profileId, (ignored.get(profileId) ?? 0) + 1)
    const trial = listening.trialOf(incoming)
    const now = clock.now()
    const copy = log.keep({
      profileId,
      at: now,
      verdict: !genuine ? reading.kind : reading.what === 'copy' ? 'accepted' : reading.what,
      verified: genuine && reading.verified,
      stale: genuine && reading.signed !== undefined && Math.abs(now - reading.signed) > staleAfter,
      test: trial?.kind ?? null,
      from: incoming.from,
      why: reading.why,
      fields: reading.fields,
      ...(genuine && { once: reading.once }),
      headers: signed(incoming),
      body: incoming.body.toString('utf8'),
    })
    trial?.arrived(copy)
    for (const { arrived } of listeners) arrived?.(profileId, copy)
    return genuine ? 200 : reading.kind === 'forged' ? 403 : 400
  }

  const listening = createListening<ReceivedCopy>({
    ...ports,
    path: copyPath,
    maxBody,
    places: log.places,
    receive,
    removed: async (profileId) => log.forget(profileId),
    words: { message: 'message copy', secret: 'AppSecret' },
  })
  const send = async (
    profileId: string,
    kind: Trial<ReceivedCopy>['kind'],
    id: number,
    change: (body: string) => string,
  ): Promise<ReceivedCopy> => {
    if (listening.state(profileId).url === null) throw new Failure('absent', 'the receiver does not listen')
    const original = log.original(profileId, id)
    if (!original) throw new Failure('absent', 'there is no such copy, or it is not genuine')
    return await listening.send(profileId, kind, { body: change(original.body), headers: original.headers })
  }

  return {
    state,
    async start({ profileId, host, port }: Input['start']): Promise<CopyReceiver> {
      profiles.find(profileId)
      ignored.delete(profileId)
      await listening.start(profileId, host, port)
      return tell(profileId)
    },
    async stop({ profileId }: Input['stop']): Promise<CopyReceiver> {
      await listening.stop(profileId)
      ignored.delete(profileId)
      return tell(profileId)
    },
    list({ profileId, limit }: Input['list']): ReceivedCopy[] {
      profiles.find(profileId)
      return log.list(profileId, limit)
    },
    replay: ({ profileId, id }: Input['replay']): Promise<ReceivedCopy> =>
      send(profileId, 'replay', id, (body) => body),
    tamper: ({ profileId, id }: Input['tamper']): Promise<ReceivedCopy> =>
      send(profileId, 'tamper', id, (body) => `${body.slice(0, -1)} ${body.slice(-1)}`),
    async target({ profileId }: Input['target']): Promise<{ url: string | null; kinds: number[] }> {
      const { url, kinds } = (await call(profileId, local.copyTarget, {})).ret
      return { url: url ?? null, kinds }
    },
    async setTarget({ profileId, url, kinds }: Input['setTarget']) {
      await call(profileId, local.setCopyTarget, { ...(url !== null && { url }), kinds })
    },
    /** In order of registration; returns its end. */
    on(listener: CopyListener): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    resume: () => listening.resume((profileId) => void tell(profileId)),
    close: async () => {
      await listening.close()
      log.close()
    },
  }
}
