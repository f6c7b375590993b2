import { inBackground } from '../background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Log } from '../log.ts'
import type { KeyPlace, TargetKeys } from './target-keys.ts'

/** Keys in one message at most. */
const mostAtOnce = 100
/** Key under which all nodes tell each other. */
const all = 'all'

type Told =
  | { readonly place: KeyPlace; readonly key: string }
  | { readonly gone: readonly number[] }
  | { readonly node: string; readonly wanted: readonly KeyPlace[] }

/** How long a key may come later than the row that tells of it, in ms, until the others are asked for it. */
const askAfter = 1000

/** Without what else a row has. */
const placeOf = ({ cid, targetId, url, keyVersion }: KeyPlace): KeyPlace => ({
  cid,
  targetId,
  url,
  ...(keyVersion !== undefined && { keyVersion }),
})

/** What targets do with keys of other nodes. */
interface SharedTargets {
  /** A key came from another node, a new one or that which is known. */
  keyCame(place: KeyPlace, isNew: boolean): void
  /** Targets without the key that they were given last. */
  keyless(): readonly KeyPlace[]
  /** The version of the key that a target was given last. */
  keyVersion(place: KeyPlace): number
}

/**
 * Keys of targets that each node of a cluster has, as a push may come to any of them. They are told over the bus and
 * are in no row: a node that was away asks the others for those that it has not. Rows say which version is the newest,
 * so a key that was changed meanwhile is one of these.
 */
export function shareKeys(options: {
  readonly keys: TargetKeys
  readonly bus: Pick<Bus, 'topic' | 'onBack' | 'settled'>
  readonly commands: NodeCommands
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
}) {
  const { keys, bus, commands, clock, log } = options
  const topic = bus.topic<Told>('target-keys')
  let targets: SharedTargets | undefined
  const take = async (told: { readonly place: KeyPlace; readonly key: string }): Promise<void> => {
    // The release before this one tells no version.
    const place = { ...told.place, keyVersion: told.place.keyVersion ?? targets?.keyVersion(told.place) ?? 0 }
    if (keys.get(place) === told.key) return
    const isNew = keys.get({ ...place, keyVersion: 0 }) !== told.key
    await keys.set(place, told.key)
    targets?.keyCame(place, isNew)
  }
  const keep = (work: Promise<unknown>): void => inBackground(work, log, 'keeping a key of a target of another node')
  const give = commands.kind<readonly { readonly place: KeyPlace; readonly key: string }[]>(
    'target-keys-given',
    (some) => {
      // Only what is missing still: this may be older than what came meanwhile.
      for (const one of some) if (keys.get(one.place) === undefined) keep(take(one))
    },
  )
  const ask = (): void => {
    const wanted = (targets?.keyless() ?? []).map(placeOf)
    for (let at = 0; at < wanted.length; at += mostAtOnce)
      topic.publish(all, { node: commands.self, wanted: wanted.slice(at, at + mostAtOnce) })
  }
  let cancel: (() => void) | undefined
  const leaves = [
    topic.subscribe(all, (told) => {
      // Own ones too, in the order that all have.
      if ('key' in told) keep(take(told))
      else if ('gone' in told) keep(keys.remove(told.gone))
      else if (told.node !== commands.self) {
        const had = told.wanted.flatMap((place) => {
          const key = keys.get(place)
          return key === undefined ? [] : [{ place, key }]
        })
        if (had.length > 0) give(told.node, had)
      }
    }),
    bus.onBack(ask),
  ]
  return {
    keys: {
      get: keys.get,
      async set(place, key) {
        await keys.set(place, key)
        topic.publish(all, { place: placeOf(place), key })
      },
      async remove(targetIds) {
        await keys.remove(targetIds)
        topic.publish(all, { gone: targetIds })
      },
    } satisfies TargetKeys,
    /** A row tells of a newer key than the one that is here: asks for it, unless it comes by itself. */
    outdated() {
      cancel ??= clock.after(askAfter, () => {
        cancel = undefined
        ask()
      })
    },
    /** From now on tells of keys that came from others, and asks for those that are missing. */
    start(those: SharedTargets) {
      targets = those
      inBackground(bus.settled().then(ask), log, 'asking other nodes for keys of targets')
    },
    close() {
      cancel?.()
      for (const leave of leaves) leave()
    },
  }
}
