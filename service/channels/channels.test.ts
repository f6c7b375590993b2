import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { journalWithoutStore } from '../journal/testing/journal-without-store.ts'
import { createHeldWrites } from '../storage/held-writes.ts'
import type { ChannelTable } from '../storage/live-tables.ts'
import type { ChannelEdit, ChannelStore } from './channels-store.ts'
import { createChannels, statusOf, type Channel, type ChannelChange, type Channels } from './channels.ts'

const time = manualClock()
const row = (cid: string, more: Partial<ChannelTable> = {}): ChannelTable => ({
  cid,
  uid: 1,
  name: cid,
  type: 0,
  ctime: 1,
  disabled: 0,
  needRecord: 0,
  format: 1,
  duration: 120,
  filename: '',
  channelKey: 'key',
  keyExpires: 0,
  ...more,
})
const unique = Object.assign(new Error('unique'), { errcode: 2067 })

let channels: Channels
let changes: [string, ChannelChange][]
/** How the store writes a change. */
let write: (edit: ChannelEdit) => Promise<void>
const ofKind = <Kind extends ChannelEdit['kind']>(kind: Kind, doing: (edit: ChannelEdit & { kind: Kind }) => unknown) =>
  async function (edit: ChannelEdit): Promise<void> {
    if (edit.kind === kind) await doing(edit as ChannelEdit & { kind: Kind })
  }
const fails = (error: Error) => (): Promise<never> => Promise.reject(error)
const works = (): Promise<void> => Promise.resolve()
/** What is random. */
let bytes: number
beforeEach(async () => {
  bytes = 0xab
  write = works
  changes = []
  const store: ChannelStore = {
    load: () => Promise.resolve([row('a'), row('b'), row('c', { needRecord: 1 }), row('foreign', { uid: 2 })]),
    write: (_transaction, edit) => write(edit),
    page: () => Promise.resolve({ cids: ['b', 'gone', 'a'], total: 3 }),
  }
  channels = await createChannels({
    store,
    journal: journalWithoutStore(),
    clock: time,
    random: (size) => Buffer.alloc(size, bytes),
    held: createHeldWrites({ clock: time, log: silentLog, changed: () => undefined }),
  })
  channels.on(({ row: { cid } }, change) => changes.push([cid, change]))
})

describe('the status of a channel', () => {
  it('is idle, live, disabled or live and recording, and disabled before all others', () => {
    const of = (more: Partial<Channel>, disabled = 0) =>
      statusOf({ row: row('a', { disabled }), since: undefined, recording: false, ...more })
    expect([of({}), of({ since: 1 }), of({ since: 1, recording: true }), of({ since: 1, recording: true }, 1)]).toEqual(
      [0, 1, 3, 2],
    )
  })

  it('is called as its broadcast on air is, also after the end of that, until the next one', () => {
    channels.inBroadcast('a', { broadcastId: 'one', title: 'Requests' })
    channels.inBroadcast('a', { broadcastId: 'one', title: 'Covers' })
    expect(channels.get('a')).toMatchObject({ broadcastId: 'one', title: 'Covers' })
    channels.inBroadcast('a', undefined)
    expect(channels.get('a')).toMatchObject({ broadcastId: undefined, title: 'Covers' })
    channels.inBroadcast('a', undefined)
    channels.inBroadcast('a', { broadcastId: 'two', title: '' })
    expect(channels.get('a')).toMatchObject({ broadcastId: 'two', title: undefined })
    channels.nextCalled('a', 'Late show')
    channels.nextCalled('a', 'Late show')
    expect(channels.get('a')).toMatchObject({ nextTitle: 'Late show' })
    expect(changes).toEqual(Array.from({ length: 5 }, () => ['a', 'tally']))
  })

  it('records from the start of a push where the channel is to be recorded, until its end', () => {
    channels.onAir('c', 10)
    expect(channels.get('c')).toMatchObject({ since: 10, recording: true })
    channels.onAir('a', 10)
    expect(channels.get('a')).toMatchObject({ since: 10, recording: false })
    channels.onAir('c', undefined)
    expect(channels.get('c')).toMatchObject({ since: undefined, recording: false })
    expect(changes).toEqual([
      ['c', 'tally'],
      ['a', 'tally'],
      ['c', 'tally'],
    ])
  })

  it('is told when it changes, and not when it stays', () => {
    channels.onAir('a', 10)
    channels.onAir('a', 10)
    channels.onAir('unknown', 10)
    channels.recording('a', false)
    channels.recording('a', true)
    channels.recording('a', true)
    expect(changes).toEqual([
      ['a', 'tally'],
      ['a', 'tally'],
    ])
    expect(channels.get('a')!.recording).toBe(true)
  })

  it('does not say that a channel is recorded that is not on air', () => {
    channels.recording('b', true)
    channels.recording('unknown', true)
    expect([channels.get('b')!.recording, changes]).toEqual([false, []])
  })
})

describe('settings of recording', () => {
  it('are kept with what was not named, and told', async () => {
    const set = await channels.setRecording('a', { needRecord: 1, filename: 'show' })
    expect(set).toMatchObject({ row: { needRecord: 1, filename: 'show', format: 1, duration: 120 } })
    expect(channels.get('a')!.row).toMatchObject({ needRecord: 1, filename: 'show' })
    expect(changes).toEqual([['a', 'updated']])
  })

  it('of a channel that is gone, before the call or before its turn, are answered so and stored nowhere', async () => {
    expect(await channels.setRecording('unknown', { needRecord: 1 })).toBe('gone')
    write = ofKind('recording', () => expect.unreachable())
    const removed = channels.remove('a')
    expect(await channels.setRecording('a', { needRecord: 1 })).toBe('gone')
    expect([await removed, changes]).toEqual([true, [['a', 'deleted']]])
  })
})

describe('a name', () => {
  it('is free again where it could not be stored', async () => {
    write = fails(new Error('full'))
    await expect(channels.create(1, 'new', 30)).rejects.toThrow('full')
    await expect(channels.rename('a', 'new')).rejects.toThrow('full')
    write = fails(unique)
    expect(await channels.rename('a', 'new')).toBe('taken')
    write = works
    const removed = channels.remove('a')
    expect(await Promise.all([channels.rename('a', 'new'), channels.rename('a', 'a')])).toEqual(['gone', 'gone'])
    expect(await removed).toBe(true)
    expect(await channels.create(1, 'new', 30)).toMatchObject({ row: { name: 'new' } })
    expect(await channels.create(1, 'a', 30)).toMatchObject({ row: { name: 'a' } })
    expect(changes.map(([, change]) => change)).toEqual(['deleted', 'created', 'created'])
  })

  it('is taken per application, and by what was loaded', async () => {
    expect(await channels.create(1, 'a', 30)).toBe('taken')
    expect(await channels.create(2, 'a', 30)).toMatchObject({ row: { uid: 2, name: 'a' } })
    expect(await channels.rename('a', 'b')).toBe('taken')
    expect(await channels.rename('unknown', 'x')).toBe('gone')
  })

  it('that a channel had is free after a change or the end of it', async () => {
    await channels.rename('a', 'x')
    await channels.remove('b')
    expect(changes).toEqual([
      ['a', 'updated'],
      ['b', 'deleted'],
    ])
    expect(channels.get('b')).toBeUndefined()
    expect(await channels.rename('c', 'a')).toMatchObject({ row: { name: 'a' } })
    expect(await channels.create(1, 'b', 30)).toMatchObject({ row: { name: 'b' } })
  })
})

describe('a channel', () => {
  it('begins with id, key and settings of its own', async () => {
    const made = (await channels.create(1, 'new', 2)) as Channel
    expect(made).toEqual({
      row: {
        ...row('ab'.repeat(16)),
        name: 'new',
        ctime: time.now(),
        channelKey: 'ab'.repeat(24),
        keyExpires: Math.floor(time.now() / 1000) + 2 * 86_400,
      },
      since: undefined,
      recording: false,
    })
  })

  it('that is not there is not removed', async () => {
    write = () => expect.unreachable()
    expect(await channels.remove('unknown')).toBe(false)
  })

  it('is disabled once however often it is named, and enabled only where it is disabled', async () => {
    const asked: unknown[] = []
    write = (edit) => (asked.push(edit), works())
    const { done, stored } = channels.disable(['b', 'a', 'unknown', 'a'])
    expect([done, await stored]).toEqual([['b', 'a'], undefined])
    expect(channels.disable(['a']).done).toEqual([])
    // At once: each is enabled by one call.
    const enabled = await Promise.all([channels.enable(['a', 'c', 'unknown']), channels.enable(['a', 'c'])])
    expect(enabled).toEqual([['a'], []])
    expect(asked).toEqual([
      { kind: 'disable', cids: ['b', 'a'] },
      { kind: 'enable', cids: ['a'] },
    ])
    expect([channels.get('a')!.row.disabled, channels.get('b')!.row.disabled]).toEqual([0, 1])
    expect(changes).toEqual([
      ['b', 'tally'],
      ['a', 'tally'],
      ['a', 'tally'],
    ])
  })

  it('is disabled and has its new key at once where the disk refuses that, until the disk takes it', async () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const written: unknown[][] = []
    write = fails(full)
    const { done, stored } = channels.disable(['a', 'b'])
    expect([done, channels.get('a')!.row.disabled, await stored]).toEqual([['a', 'b'], 1, 'full'])
    expect(await channels.replaceKey('c', 1)).toMatchObject({ owed: 'full' })
    expect(channels.get('c')!.row.channelKey).toBe('ab'.repeat(24))
    // What is not on the disk is not undone either while the disk is full.
    await expect(channels.enable(['a'])).rejects.toThrow('no space')
    expect(channels.get('a')!.row.disabled).toBe(1)
    write = (edit) => {
      written.push([edit.kind, 'cids' in edit ? edit.cids.join() : channels.get('c')?.row.cid])
      return Promise.resolve()
    }
    expect(await channels.enable(['a'])).toEqual(['a'])
    time.advance(10_000)
    const all = ['disable a', 'enable a', 'disable b', 'key c']
    await vi.waitFor(() => expect(written.map((one) => one.join(' '))).toEqual(all))
  })

  it('has a new key with a new expiry, which is told', async () => {
    const stored: unknown[] = []
    write = (edit) => (stored.push(edit), works())
    const values = { channelKey: 'ab'.repeat(24), keyExpires: Math.floor(time.now() / 1000) + 86_400 }
    expect(await channels.replaceKey('a', 1)).toMatchObject({ channel: { row: values } })
    expect(stored).toEqual([{ kind: 'key', cid: 'a', ...values }])
    expect(changes).toEqual([['a', 'key']])
    expect(await channels.replaceKey('unknown', 1)).toBe('gone')
    expect(await channels.freshAddress('unknown', 1)).toBe('gone')
  })

  it('keeps the key that is in force where the one before it is stored later', async () => {
    const storing = Promise.withResolvers<void>()
    const stored: unknown[] = []
    write = ofKind(
      'key',
      ({ channelKey }) => (stored.push(channelKey), stored.length === 1 ? storing.promise : works()),
    )
    const first = channels.replaceKey('a', 1)
    bytes = 0xcd
    const second = channels.replaceKey('a', 1)
    const keys: string[] = []
    channels.on(({ row: { channelKey } }) => keys.push(channelKey))
    storing.resolve()
    await Promise.all([first, second])
    expect(stored).toEqual(['ab'.repeat(24), 'cd'.repeat(24)])
    expect([channels.get('a')!.row.channelKey, keys]).toEqual(['cd'.repeat(24), []])
    await channels.replaceKey('a', 1)
    expect(stored).toHaveLength(3)
  })

  it('is listed for its application, and in a page in the order of the store without those that went', async () => {
    expect(channels.of(1).map((one) => one.row.cid)).toEqual(['a', 'b', 'c'])
    const { channels: page, total } = await channels.page({ uid: 1, page: 1, size: 10, ascending: true })
    expect([page.map((one) => one.row.cid), total]).toEqual([['b', 'a'], 3])
  })

  it('is told to nobody who has left', () => {
    const heard: ChannelChange[] = []
    const leave = channels.on((_channel, change) => heard.push(change))
    channels.onAir('a', 1)
    leave()
    channels.onAir('a', undefined)
    expect(heard).toEqual(['tally'])
  })
})

describe('an address', () => {
  const day = 86_400_000

  it('stays while more than half of its life is left, then has a new expiry with the same key, told', async () => {
    const stored: unknown[] = []
    const now = time.now() / 1000
    const { row: made } = (await channels.create(1, 'new', 2)) as Channel
    changes = []
    write = (edit) => (stored.push(edit), works())
    // The same address is fresh or not by the life that is set now: half of four days is left.
    expect(await channels.freshAddress(made.cid, 3)).toMatchObject({ row: { keyExpires: now + (2 * day) / 1000 } })
    expect([stored, changes]).toEqual([[], []])
    const renewed = { keyExpires: now + (4 * day) / 1000 }
    expect(await channels.freshAddress(made.cid, 4)).toMatchObject({ row: { ...renewed, channelKey: made.channelKey } })
    expect([stored, changes]).toEqual([[{ kind: 'key', cid: made.cid, ...renewed }], [[made.cid, 'key']]])
  })
})

describe('a change of a channel', () => {
  it('takes effect only once it is stored', async () => {
    const gate = Promise.withResolvers<void>()
    write = () => gate.promise
    const making = channels.create(1, 'new', 30)
    expect(channels.of(1).map((one) => one.row.name)).toEqual(['a', 'b', 'c'])
    // The name is taken meanwhile.
    expect(await channels.create(1, 'new', 30)).toBe('taken')
    gate.resolve()
    await making
    expect(channels.of(1).map((one) => one.row.name)).toEqual(['a', 'b', 'c', 'new'])
    const renaming = Promise.withResolvers<void>()
    write = ofKind('rename', () => renaming.promise)
    const renamed = channels.rename('a', 'x')
    expect(channels.get('a')!.row.name).toBe('a')
    expect(await channels.create(1, 'x', 30)).toBe('taken')
    renaming.resolve()
    await renamed
    expect(channels.get('a')!.row.name).toBe('x')
  })

  it('to the name that it has is stored, and told to nobody', async () => {
    const stored: unknown[] = []
    write = (edit) => (stored.push(edit), works())
    expect(await channels.rename('a', 'a')).toMatchObject({ row: { name: 'a' } })
    expect([stored, changes]).toEqual([[{ kind: 'rename', cid: 'a', name: 'a' }], []])
    expect(await channels.create(1, 'a', 30)).toBe('taken')
  })

  it('ends with the name that was stored last where it is renamed at once, and frees the others', async () => {
    const stored: string[] = []
    // The later, the sooner answered.
    write = ofKind('rename', async ({ name }) => {
      const turns = 4 - stored.push(name)
      for (let turn = 0; turn < turns; turn++) await setImmediate()
    })
    await Promise.all(['x', 'a', 'y'].map((name) => channels.rename('a', name)))
    expect([stored, channels.get('a')!.row.name]).toEqual([['x', 'a', 'y'], 'y'])
    expect(await channels.create(1, 'x', 30)).toMatchObject({ row: { name: 'x' } })
    expect(await channels.create(1, 'a', 30)).toMatchObject({ row: { name: 'a' } })
    expect(await channels.create(1, 'y', 30)).toBe('taken')
  })

  it('that is made while another is stored is kept in the order in which they are stored', async () => {
    const stored: unknown[] = []
    write = ofKind('recording', async ({ values: { filename } }) => {
      const turns = 4 - stored.push(filename)
      for (let turn = 0; turn < turns; turn++) await setImmediate()
    })
    await Promise.all(['one', 'two'].map((filename) => channels.setRecording('a', { filename })))
    expect([stored, channels.get('a')!.row.filename]).toEqual([['one', 'two'], 'two'])
  })

  it('of a channel that is deleted meanwhile is not told after its end, and answered as one that is gone', async () => {
    await channels.disable(['a', 'b']).stored
    changes = []
    await Promise.all([channels.remove('a'), channels.enable(['a', 'b'])])
    expect(changes).toEqual([
      ['a', 'deleted'],
      ['b', 'tally'],
    ])
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    write = ofKind('remove', () => (asked.resolve(), gate.promise))
    const removing = channels.remove('b')
    await asked.promise
    const replacing = channels.replaceKey('b', 1)
    gate.resolve()
    expect(await replacing).toBe('gone')
    expect([await removing, changes.slice(2)]).toEqual([
      true,
      [
        ['b', 'key'],
        ['b', 'deleted'],
      ],
    ])
    expect(await Promise.all([channels.remove('c'), channels.remove('c')])).toEqual([true, false])
  })

  it('removes it with the time of now', async () => {
    const stored: unknown[] = []
    write = (edit) => (stored.push(edit), works())
    expect(await channels.remove('a')).toBe(true)
    expect(stored).toEqual([{ kind: 'remove', cid: 'a', at: time.now() }])
  })
})
