import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import type { PresenceMessage } from './own-entries.ts'
import { forgetNode, keysOf, listNodes, readEntries } from './presence-scripts.ts'

/** Told of entries of other services. */
export interface EntriesHeard {
  came(node: string, field: string, text: string): void
  /** `isOurs` where the service was lost, and this one is the only one that says so. */
  gone(node: string, field: string, text: string, isOurs: boolean): void
}

interface Replica {
  run: string
  version: number
  readonly entries: Map<string, string>
  /** Version that Redis had when it was asked last. */
  atLeast: number
}

/** Messages kept while entries are read; beyond, they are read once more. */
const mostKept = 10_000
/** A Redis that has just begun does not know yet who is there, in ms. */
const youngFor = 4000

/** The entries of all other services, as Redis has them: read once, and kept by the messages of the bus. */
export function createOtherEntries(options: {
  readonly redis: Pick<RedisScripts, 'run'>
  /** This service. */
  readonly self: string
  readonly heard: EntriesHeard
  readonly log: Pick<Log, 'warn'>
}) {
  const { redis, self, heard, log } = options
  const replicas = new Map<string, Replica>()
  const reading = new Map<string, { kept: PresenceMessage[]; isAgain: boolean; done: Promise<void> }>()
  let isClosed = false

  const set = (node: string, { entries }: Replica, field: string, text: string): void => {
    const before = entries.get(field)
    if (before === text || (text === '' && before === undefined)) return
    if (text === '') {
      entries.delete(field)
      heard.gone(node, field, before!, false)
    } else {
      entries.set(field, text)
      heard.came(node, field, text)
    }
  }
  const replace = (node: string, run: string, version: number, now: ReadonlyMap<string, string>): void => {
    const replica = replicas.get(node) ?? { run, version, entries: new Map<string, string>(), atLeast: 0 }
    if (replica.run === run && replica.version > version) return
    replica.run = run
    replica.version = replica.atLeast = version
    replicas.set(node, replica)
    for (const field of replica.entries.keys()) if (!now.has(field)) set(node, replica, field, '')
    for (const [field, text] of now) set(node, replica, field, text)
  }
  const drop = (node: string, isOurs: boolean): void => {
    const replica = replicas.get(node)
    replicas.delete(node)
    for (const [field, text] of replica?.entries ?? []) heard.gone(node, field, text, isOurs)
  }
  const readOnce = async (node: string): Promise<void> => {
    const answer = await redis.run(readEntries, [keysOf.stamp(node), keysOf.entries(node)], [])
    const [stamp, flat] = answer as [string, string[]]
    // Who is gone is found by `look`.
    if (stamp === '' || isClosed) return
    const [run, version] = stamp.split(' ') as [string, string]
    const now = new Map<string, string>()
    for (let n = 0; n < flat.length; n += 2) now.set(flat[n]!, flat[n + 1]!)
    replace(node, run, Number(version), now)
  }
  const read = (node: string): Promise<void> => {
    const known = reading.get(node)
    if (known) {
      known.isAgain = true
      return known.done
    }
    const one = { kept: [] as PresenceMessage[], isAgain: false, done: Promise.resolve() }
    reading.set(node, one)
    one.done = (async () => {
      try {
        do {
          one.isAgain = false
          await readOnce(node)
        } while (one.isAgain && !isClosed)
      } catch (error) {
        log.warn({ node, reason: (error as Error).message }, 'who is connected to another service cannot be read')
      } finally {
        reading.delete(node)
        for (const message of one.kept) take(message)
      }
    })()
    return one.done
  }
  function take(message: PresenceMessage): void {
    const { node, run, version, changes, isOver } = message
    if (isClosed) return
    const under = reading.get(node)
    if (under) {
      if (under.kept.length < mostKept) under.kept.push(message)
      else under.isAgain = true
      return
    }
    const replica = replicas.get(node)
    if (isOver) {
      if (replica?.run === run) drop(node, false)
      return
    }
    if (replica?.run === run && version <= replica.version) return
    if (!changes || replica?.run !== run || version !== replica.version + 1)
      return inBackground(read(node), log, 'reading who is connected')
    replica.version = version
    for (const [field, text] of changes) set(node, replica, field, text)
  }

  return {
    take,
    /** Reads all that are known anew. */
    readAll: (): Promise<unknown> => Promise.all([...replicas.keys()].map((node) => read(node))),
    /** Looks who is there, who is gone, and whether a message was missed. */
    async look(): Promise<void> {
      const [age, ...flat] = (await redis.run(listNodes, [keysOf.nodes, keysOf.begun, keysOf.stamp('')], [])) as [
        number,
        ...string[],
      ]
      if (isClosed) return
      const listed = new Map<string, string>()
      for (let n = 0; n < flat.length; n += 2) listed.set(flat[n]!, flat[n + 1]!)
      listed.delete(self)
      const reads: Promise<void>[] = []
      for (const [node, stamp] of listed) {
        if (stamp === '') continue
        const [run, version] = stamp.split(' ') as [string, string]
        const replica = replicas.get(node)
        // A message that is under way comes before the next look.
        if (replica?.run !== run || replica.version < replica.atLeast) reads.push(read(node))
        else replica.atLeast = Number(version)
      }
      await Promise.all(reads)
      if (age < youngFor) return
      for (const node of new Set([...listed.keys(), ...replicas.keys()])) {
        if (listed.get(node)) continue
        const isOurs =
          listed.has(node) &&
          (await redis.run(forgetNode, [keysOf.nodes, keysOf.stamp(node), keysOf.entries(node)], [node])) === 1
        if (isOurs) log.warn({ node }, 'another service is gone: who was connected to it is taken out')
        // One that came back meanwhile is read anew by the next look.
        drop(node, isOurs)
      }
    },
    /** Names of the services that are known. */
    nodes: (): string[] => [...replicas.keys()],
    close(): void {
      isClosed = true
    },
  }
}
