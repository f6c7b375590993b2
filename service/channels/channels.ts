import type { Clock } from '../../platform/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { ChannelTable } from '../storage/live-tables.ts'
import type { HeldWrites, OwedReason } from '../storage/held-writes.ts'
import { isUniqueViolation } from '../storage/store.ts'
import type { ChannelEdit, ChannelStore, PageRequest, RecordingValues } from './channels-store.ts'
import { expiryFrom, stillFresh } from '../ingest/push-address.ts'

/** A channel in memory: its row and the state of its push. */
export interface Channel {
  readonly row: ChannelTable
  /** Start of the push, in ms. */
  readonly since: number | undefined
  /** Recording, or waiting for the first key frame. */
  readonly recording: boolean
  /** The broadcast on air. */
  readonly broadcastId?: string | undefined
  /** Title of the broadcast on air, or of the last one since this service started. */
  readonly title?: string | undefined
  /** The title that the next broadcast takes. */
  readonly nextTitle?: string | undefined
}

/** What changed about a channel. */
export type ChannelChange = 'created' | 'updated' | 'deleted' | 'key' | 'tally'

/**
 * All channels, in memory, so that publish checks never wait. A change is stored before it takes effect, except for
 * what takes access away: that is in force at once, and stored then.
 */
export type Channels = Awaited<ReturnType<typeof createChannels>>

/** Status of a channel (1-live States): 0 idle, 1 live, 2 disabled, 3 live and recording. */
export const statusOf = ({ row, since, recording }: Channel): 0 | 1 | 2 | 3 =>
  row.disabled ? 2 : since === undefined ? 0 : recording ? 3 : 1

/** Loads all channels. */
export async function createChannels(options: {
  readonly store: ChannelStore
  readonly journal: Journal
  readonly clock: Clock
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
  readonly held: Pick<HeldWrites, 'hold' | 'settle'>
}) {
  const { store, journal, clock, random, held } = options
  interface Entry {
    row: ChannelTable
    since: number | undefined
    recording: boolean
    broadcastId?: string | undefined
    title?: string | undefined
    nextTitle?: string | undefined
  }
  const channels = new Map<string, Entry>()
  const listeners = new Set<(channel: Channel, change: ChannelChange) => void>()
  const changed = (channel: Channel, change: ChannelChange): void => {
    for (const listener of listeners) listener(channel, change)
  }
  // Names by application. Reserved before the store is asked, so that two concurrent calls cannot get the same one.
  const names = new Map<number, Set<string>>()
  const namesOf = (uid: number): Set<string> => {
    let known = names.get(uid)
    if (!known) names.set(uid, (known = new Set()))
    return known
  }
  for (const row of await store.load()) {
    channels.set(row.cid, { row: { ...row }, since: undefined, recording: false })
    namesOf(row.uid).add(row.name)
  }
  /** Keys in force that are not stored yet, by cid. */
  const keysAhead = new Map<string, string>()

  /** Gives a row other values, and tells whether they are other than before. */
  const revise = (cid: string, values: Partial<ChannelTable>, change: ChannelChange): void => {
    const entry = channels.get(cid)
    if (!entry) return
    const before = entry.row
    entry.row = { ...before, ...values }
    const columns = Object.keys(values) as (keyof ChannelTable)[]
    if (change === 'updated' || columns.some((column) => before[column] !== values[column])) changed(entry, change)
  }
  const apply = (edit: ChannelEdit): void => {
    switch (edit.kind) {
      case 'create': {
        const entry: Entry = { row: { ...edit.row }, since: undefined, recording: false }
        channels.set(edit.row.cid, entry)
        namesOf(edit.row.uid).add(edit.row.name)
        return changed(entry, 'created')
      }
      case 'rename': {
        const row = channels.get(edit.cid)?.row
        if (!row || row.name === edit.name) return
        namesOf(row.uid).delete(row.name)
        namesOf(row.uid).add(edit.name)
        return revise(edit.cid, { name: edit.name }, 'updated')
      }
      case 'remove': {
        const entry = channels.get(edit.cid)
        if (!entry) return
        channels.delete(edit.cid)
        keysAhead.delete(edit.cid)
        namesOf(entry.row.uid).delete(entry.row.name)
        return changed(entry, 'deleted')
      }
      case 'disable':
      case 'enable':
        for (const cid of edit.cids) revise(cid, { disabled: edit.kind === 'disable' ? 1 : 0 }, 'tally')
        return
      case 'key': {
        const { kind: _kind, cid, ...key } = edit
        const ahead = keysAhead.get(cid)
        // Replaced once more while this one was stored.
        if (key.channelKey !== undefined && ahead !== undefined && ahead !== key.channelKey) return
        if (key.channelKey !== undefined) keysAhead.delete(cid)
        return revise(cid, key, 'key')
      }
      case 'recording':
        return revise(edit.cid, edit.values, 'updated')
    }
  }
  const changes = journal.kind<ChannelEdit>('channel', { store: store.write, apply })

  /** Names of held writes. */
  const keyOf = (cid: string): string => `the key of channel ${cid}`
  const pauseOf = (cid: string): string => `the pause of channel ${cid}`

  return {
    get: (cid: string): Channel | undefined => channels.get(cid),
    /** How many there are in each state, by the numbers of `statusOf`. */
    totals(): readonly number[] {
      const states = [0, 0, 0, 0]
      for (const channel of channels.values()) states[statusOf(channel)]! += 1
      return states
    },
    of: (uid: number): Channel[] => [...channels.values()].filter(({ row }) => row.uid === uid),
    async page(request: PageRequest): Promise<{ readonly channels: Channel[]; readonly total: number }> {
      const { cids, total } = await store.page(request)
      return { channels: cids.map((cid) => channels.get(cid)).filter((channel) => channel !== undefined), total }
    },
    /** Makes a channel; `taken` when the application already uses the name. */
    async create(uid: number, name: string, lifeDays: number): Promise<Channel | 'taken'> {
      const taken = namesOf(uid)
      if (taken.has(name)) return 'taken'
      taken.add(name)
      const now = clock.now()
      // One system call for both.
      const bytes = random(16 + 24)
      const row: ChannelTable = {
        cid: bytes.toString('hex', 0, 16),
        uid,
        name,
        type: 0,
        ctime: now,
        disabled: 0,
        needRecord: 0,
        format: 1,
        duration: 120,
        filename: '',
        channelKey: bytes.toString('hex', 16),
        keyExpires: expiryFrom(now, lifeDays),
      }
      try {
        await changes.commit({ kind: 'create', row })
      } catch (error) {
        taken.delete(name)
        throw error
      }
      return channels.get(row.cid)!
    },
    async rename(cid: string, name: string): Promise<Channel | 'taken' | 'gone'> {
      const entry = channels.get(cid)
      if (!entry) return 'gone'
      const taken = namesOf(entry.row.uid)
      const isOwn = name === entry.row.name
      if (!isOwn && taken.has(name)) return 'taken'
      taken.add(name)
      return changes.inTurn(cid, async () => {
        try {
          // Stored even if unchanged, so that a broken store is reported.
          if (channels.has(cid)) await changes.commit({ kind: 'rename', cid, name })
        } catch (error) {
          if (!isOwn) taken.delete(name)
          if (isUniqueViolation(error)) return 'taken'
          throw error
        }
        if (channels.has(cid)) return entry
        if (!isOwn) taken.delete(name)
        return 'gone'
      })
    },
    /** Whether there was one. */
    remove: (cid: string) =>
      changes.inTurn(cid, async () => {
        if (!channels.has(cid)) return false
        await changes.commit({ kind: 'remove', cid, at: clock.now() })
        return true
      }),
    /** Disables channels that are not, in memory at once; `stored` says why that is not on the disk. */
    disable(cids: readonly string[]): { readonly done: string[]; readonly stored: Promise<OwedReason | undefined> } {
      const done = [...new Set(cids)].filter((cid) => channels.get(cid)?.row.disabled === 0)
      apply({ kind: 'disable', cids: done })
      const again = (cid: string) => async (): Promise<void> => {
        if (channels.get(cid)?.row.disabled === 1) await changes.commit({ kind: 'disable', cids: [cid] })
      }
      const write = async (): Promise<OwedReason | undefined> => {
        // Together, so that many are one transaction; each is then tried again by itself.
        const failure = await changes.commit({ kind: 'disable', cids: done }).then(
          () => undefined,
          (error: unknown) => ({ error }),
        )
        if (!failure) return undefined
        const fail = (): Promise<never> => Promise.reject(failure.error as Error)
        const owed = await Promise.all(done.map((cid) => held.hold(pauseOf(cid), fail, again(cid))))
        return owed[0]
      }
      return { done, stored: done.length === 0 ? Promise.resolve(undefined) : write() }
    },
    /** Enables disabled channels; those that it enabled. */
    async enable(cids: readonly string[]): Promise<string[]> {
      const present = [...new Set(cids)].filter((cid) => channels.has(cid))
      for (const cid of present) await held.settle(pauseOf(cid))
      const uid = channels.get(present[0] ?? '')?.row.uid
      return changes.inTurn(`enable ${uid}`, async () => {
        const done = present.filter((cid) => channels.get(cid)?.row.disabled === 1)
        if (done.length > 0) await changes.commit({ kind: 'enable', cids: done })
        return done
      })
    },
    /** The channel, with a new push address if less than half of its life is left; `gone` when deleted meanwhile. */
    freshAddress: (cid: string, lifeDays: number) =>
      changes.inTurn(cid, async (): Promise<Channel | 'gone'> => {
        const entry = channels.get(cid)
        if (!entry) return 'gone'
        const now = clock.now()
        if (stillFresh(entry.row.keyExpires, now, lifeDays)) return entry
        const keyExpires = expiryFrom(now, lifeDays)
        await changes.commit({ kind: 'key', cid, keyExpires })
        return channels.get(cid) ?? 'gone'
      }),
    /** Replaces the key, in memory at once: no earlier address admits a new push. `owed`: why it is not on the disk. */
    async replaceKey(cid: string, lifeDays: number): Promise<{ channel: Channel; owed?: OwedReason } | 'gone'> {
      const entry = channels.get(cid)
      if (!entry) return 'gone'
      const key = { channelKey: random(24).toString('hex'), keyExpires: expiryFrom(clock.now(), lifeDays) }
      revise(cid, key, 'key')
      keysAhead.set(cid, key.channelKey)
      const owed = await held.hold(keyOf(cid), async () => {
        const { channelKey, keyExpires } = entry.row
        await changes.commit({ kind: 'key', cid, channelKey, keyExpires })
      })
      return channels.has(cid) ? { channel: entry, ...(owed && { owed }) } : 'gone'
    },
    /** Start of the push on air in ms, or undefined. */
    onAir(cid: string, since: number | undefined) {
      const entry = channels.get(cid)
      if (!entry || entry.since === since) return
      entry.since = since
      entry.recording = since !== undefined && entry.row.needRecord === 1
      changed(entry, 'tally')
    },
    /** `gone` when the channel was deleted meanwhile. */
    setRecording: (cid: string, values: RecordingValues) =>
      changes.inTurn(cid, async (): Promise<Channel | 'gone'> => {
        if (!channels.has(cid)) return 'gone'
        await changes.commit({ kind: 'recording', cid, values })
        return channels.get(cid) ?? 'gone'
      }),
    recording(cid: string, on: boolean) {
      const entry = channels.get(cid)
      if (!entry || entry.since === undefined || entry.recording === on) return
      entry.recording = on
      changed(entry, 'tally')
    },
    /** The broadcast that is on air, or undefined; its title is empty for none. */
    inBroadcast(cid: string, broadcast: { readonly broadcastId: string; readonly title: string } | undefined) {
      const entry = channels.get(cid)
      if (!entry) return
      const broadcastId = broadcast?.broadcastId
      const title = broadcast ? broadcast.title || undefined : entry.title
      if (entry.broadcastId === broadcastId && entry.title === title) return
      Object.assign(entry, { broadcastId, title })
      changed(entry, 'tally')
    },
    /** The title that the next broadcast takes. */
    nextCalled(cid: string, nextTitle: string | undefined) {
      const entry = channels.get(cid)
      if (!entry || entry.nextTitle === nextTitle) return
      entry.nextTitle = nextTitle
      changed(entry, 'tally')
    },
    on(listener: (channel: Channel, change: ChannelChange) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
