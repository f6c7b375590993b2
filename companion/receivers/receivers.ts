import path from 'node:path'
import type { ListenerBounds } from '../../platform/bounded-listener.ts'
import { deliveredStatus, signHeader } from '../../contract/callbacks/recording.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import type { AppEvent, Delivery, Receiver, RpcInputs } from '../../contract/rpc/index.ts'
import { callsOf } from '../client/client.ts'
import { Failure, reasonOf } from '../failure.ts'
import { isLoopbackName } from '../profiles/address.ts'
import { fromVault } from '../secrets/vault.ts'
import { isStale, readCallback, type Reading } from './callback-check.ts'
import { callbackPath, type Incoming } from './callback-listener.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { createListening } from './listening.ts'
import type { PartPorts } from '../part-ports.ts'

/** Receivers of recording callbacks, one per profile. Throws Failure. */
export type Receivers = ReturnType<typeof createReceivers>

type Input = RpcInputs['receivers']

/** What they need. */
export interface ReceiverPorts extends Pick<
  PartPorts,
  'dataDir' | 'vault' | 'clock' | 'random' | 'client' | 'isExtended' | 'log'
> {
  /** The usual ones when absent. */
  readonly bounds?: ListenerBounds | undefined
  readonly profiles: {
    find(id: string): { readonly kind: 'local' | 'hosted'; readonly liveUrl: string }
    all(): readonly { readonly id: string }[]
    on(listener: () => void): () => void
  }
  readonly post: (event: AppEvent) => void
}

/** Lifetime of a key, and interval of asking after a wrong signature, in ms. */
const keyLife = 60_000
const keyAskEvery = 2_000
/** In bytes; real ones have a few hundred. */
const maxBody = 65_536

const excerpt = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, 16)
      .map(([name, value]) => [name.slice(0, 64), value.slice(0, 256)]),
  )

/** Opens DATA/receivers.db; a damaged one is quarantined. */
export function createReceivers(ports: ReceiverPorts) {
  const { clock, vault, isExtended, profiles } = ports
  const call = callsOf(ports.client)
  const log = openDeliveryLog(path.join(ports.dataDir, 'receivers.db'))
  const keys = new Map<string, { readonly key: string; readonly asked: number }>()

  const account = (profileId: string): string => `callback:${profileId}`

  /** An extended service tells its key; for others it is entered. */
  const keyOf = async (profileId: string, younger = keyLife): Promise<string | undefined> => {
    const known = keys.get(profileId)
    if (known && clock.now() - known.asked < younger) return known.key
    const key = isExtended(profileId)
      ? (await call(profileId, local.callback, {})).ret.signKey
      : await fromVault(vault.get(account(profileId)))
    if (key !== undefined) keys.set(profileId, { key, asked: clock.now() })
    return key
  }
  const state = async ({ profileId }: Input['state']): Promise<Receiver> => {
    const { kind, liveUrl } = profiles.find(profileId)
    const keyKnown = isExtended(profileId) || (await keyOf(profileId).catch(() => undefined)) !== undefined
    const mustBeReachable = kind === 'hosted' && !isLoopbackName(new URL(liveUrl).hostname)
    return { profileId, ...listening.state(profileId), mustBeReachable, keyKnown }
  }
  const tell = async (profileId: string): Promise<Receiver> => {
    const receiver = await state({ profileId })
    ports.post({ type: 'receiver', receiver })
    return receiver
  }

  const judge = async (profileId: string, { body, sign }: Incoming): Promise<Reading | undefined> => {
    const key = await keyOf(profileId)
    if (key === undefined) return undefined
    const reading = readCallback(body, sign, key)
    if (reading.kind !== 'forged') return reading
    // The key may have been changed.
    const newer = await keyOf(profileId, keyAskEvery)
    return newer === undefined || newer === key ? reading : readCallback(body, sign, newer)
  }
  const receive = async (profileId: string, incoming: Incoming): Promise<number> => {
    const reading = await judge(profileId, incoming)
    // The sender shall resend.
    if (!reading) return 503
    const trial = listening.trialOf(incoming)
    const now = clock.now()
    const delivery = log.keep({
      profileId,
      at: now,
      verdict: reading.kind,
      test: trial?.kind ?? null,
      from: incoming.from,
      why: reading.kind === 'genuine' ? null : reading.why,
      fields: reading.kind === 'genuine' ? reading.fields : excerpt(reading.fields),
      ...(reading.kind === 'genuine' && { nId: reading.nId }),
      stale: (firstSeen) => isStale(reading.fields, now, firstSeen),
      sign: incoming.sign ?? '',
      body: incoming.body.toString('utf8'),
    })
    trial?.arrived(delivery)
    ports.post({ type: 'delivery', profileId, delivery })
    return reading.kind === 'genuine' ? deliveredStatus : reading.kind === 'forged' ? 403 : 400
  }

  const listening = createListening<Delivery>({
    ...ports,
    path: callbackPath,
    maxBody,
    places: log.places,
    receive,
    removed: async (profileId) => {
      log.forget(profileId)
      keys.delete(profileId)
      await vault.delete(account(profileId)).catch(() => undefined)
    },
    words: { message: 'callback', secret: 'signing key' },
  })
  const original = (profileId: string, id: number) => {
    const found = log.original(profileId, id)
    if (!found) throw new Failure('absent', 'there is no such message, or it is not genuine')
    return { body: found.body, headers: { [signHeader]: found.sign } }
  }

  return {
    state,
    start: async ({ profileId, host, port }: Input['start']): Promise<Receiver> => {
      profiles.find(profileId)
      await listening.start(profileId, host, port)
      return tell(profileId)
    },
    stop: async ({ profileId }: Input['stop']): Promise<Receiver> => {
      await listening.stop(profileId)
      return tell(profileId)
    },
    register: async ({ profileId, url: given }: Input['register']): Promise<{ url: string }> => {
      const { url: here, mustBeReachable } = await state({ profileId })
      if (given === undefined && mustBeReachable)
        throw new Failure('absent', 'name the address at which the service reaches this computer')
      const url = given ?? here
      if (url === null) throw new Failure('absent', 'the receiver does not listen')
      await call(profileId, recordings.setCallback, { recordClk: url })
      return { url }
    },
    deliveries: ({ profileId, limit }: Input['deliveries']): Delivery[] => {
      profiles.find(profileId)
      return log.list(profileId, limit)
    },
    replay: async ({ profileId, id }: Input['replay']): Promise<Delivery> =>
      listening.send(profileId, 'replay', original(profileId, id)),
    tamper: async ({ profileId, id, field = 'video_name' }: Input['tamper']): Promise<Delivery> => {
      const { body, headers } = original(profileId, id)
      const fields = JSON.parse(body) as Record<string, unknown>
      if (!Object.hasOwn(fields, field)) throw new Failure('absent', `the message has no ${field}`)
      return listening.send(profileId, 'tamper', {
        body: JSON.stringify({ ...fields, [field]: `${String(fields[field])}0` }),
        headers,
      })
    },
    signKey: async ({ profileId }: Input['signKey']): Promise<{ signKey: string }> => {
      profiles.find(profileId)
      const signKey = await keyOf(profileId, 0)
      if (signKey === undefined) throw new Failure('secret', 'no signing key is kept for this profile')
      return { signKey }
    },
    setSignKey: async ({ profileId, signKey, atService }: Input['setSignKey']) => {
      profiles.find(profileId)
      if (atService || isExtended(profileId)) await call(profileId, recordings.setSignKey, { signKey })
      if (!isExtended(profileId)) await fromVault(vault.set(account(profileId), signKey))
      keys.set(profileId, { key: signKey, asked: clock.now() })
      await tell(profileId)
    },
    resume: () =>
      listening.resume((profileId) => {
        tell(profileId).catch((error: unknown) => {
          ports.log(`a receiver of callbacks could not be told of: ${reasonOf(error)}`)
        })
      }),
    close: async () => {
      await listening.close()
      log.close()
    },
  }
}
