import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { createHeldWrites } from '../storage/held-writes.ts'
import type { ChannelTable } from '../storage/live-tables.ts'
import type { ChannelStore } from './channels-store.ts'
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
/** What the store does otherwise than usual. */
let store: Partial<ChannelStore>
beforeEach(async () => {
  store = {}
  changes = []
  const usual: ChannelStore = {
    load: () => Promise.resolve([row('a'), row('b'), row('c', { needRecord: 1 }), row('foreign', { uid: 2 })]),
    insert: () => Promise.resolve(),
    rename: () => Promise.resolve(true),
    remove: () => Promise.resolve(true),
    setDisabled: (cids) => Promise.resolve([...cids]),
    setKey: () => Promise.resolve(),
    setRecording: () => Promise.resolve(true),
    page: () => Promise.resolve({ cids: ['b', 'gone', 'a'], total: 3 }),
  }
  channels = await createChannels({
    store: new Proxy(usual, { get: (target, name: keyof ChannelStore) => store[name] ?? target[name] }),
    clock: time,
    random: (bytes) => Buffer.alloc(bytes, 0xab),
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

  it('of a channel that is gone, in the store or in memory, are answered so', async () => {
    expect(await channels.setRecording('unknown', { needRecord: 1 })).toBe('gone')
    store.setRecording = () => Promise.resolve(false)
    expect(await channels.setRecording('a', { needRecord: 1 })).toBe('gone')
    expect([channels.get('a')!.row.needRecord, changes]).toEqual([0, []])
  })
})

describe('a name', () => {
  it('is free again where it could not be stored', async () => {
    store.insert = () => Promise.reject(new Error('full'))
    await expect(channels.create(1, 'new', 30)).rejects.toThrow('full')
    store.rename = () => Promise.reject(new Error('full'))
    await expect(channels.rename('a', 'new')).rejects.toThrow('full')
    store.rename = () => Promise.reject(unique)
    expect(await channels.rename('a', 'new')).toBe('taken')
    store.rename = () => Promise.resolve(false)
    expect(await channels.rename('a', 'new')).toBe('gone')
    expect(await channels.rename('a', 'a')).toBe('gone')
    store = {}
    expect(await channels.create(1, 'new', 30)).toMatchObject({ row: { name: 'new' } })
    expect(changes).toEqual([[expect.any(String), 'created']])
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

  it('that the store does not have is not removed', async () => {
    store.remove = () => Promise.resolve(false)
    expect(await channels.remove('a')).toBe(false)
    expect([channels.get('a')?.row.cid, changes]).toEqual(['a', []])
    store = {}
    expect(await channels.remove('unknown')).toBe(false)
  })

  it('is disabled once however often it is named, and enabled only where the store changed it', async () => {
    const asked: unknown[] = []
    store.setDisabled = (cids, disabled) => {
      asked.push([[...cids], disabled])
      return Promise.resolve(['a'])
    }
    const { done, stored } = channels.disable(['b', 'a', 'unknown', 'a'])
    expect([done, await stored]).toEqual([['b', 'a'], undefined])
    expect(channels.disable(['a']).done).toEqual([])
    expect(await channels.enable(['a', 'b', 'unknown'])).toEqual(['a'])
    expect(asked).toEqual([
      [['b', 'a'], true],
      [['a', 'b'], false],
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
    const written: unknown[] = []
    store.setDisabled = () => Promise.reject(full)
    store.setKey = () => Promise.reject(full)
    const { done, stored } = channels.disable(['a', 'b'])
    expect([done, channels.get('a')!.row.disabled, await stored]).toEqual([['a', 'b'], 1, 'full'])
    expect(await channels.replaceKey('c', 1)).toMatchObject({ owed: 'full' })
    expect(channels.get('c')!.row.channelKey).toBe('ab'.repeat(24))
    // What is not on the disk is not undone either while the disk is full.
    await expect(channels.enable(['a'])).rejects.toThrow('no space')
    expect(channels.get('a')!.row.disabled).toBe(1)
    store.setDisabled = (cids, disabled) => {
      written.push([[...cids], disabled])
      return Promise.resolve([...cids])
    }
    store.setKey = (cid) => {
      written.push(cid)
      return Promise.resolve()
    }
    expect(await channels.enable(['a'])).toEqual(['a'])
    time.advance(10_000)
    await vi.waitFor(() => expect(written).toEqual([[['a'], true], [['a'], false], [['b'], true], 'c']))
  })

  it('has a new key with a new expiry, which is told', async () => {
    const stored: unknown[] = []
    store.setKey = (cid, values) => {
      stored.push([cid, values])
      return Promise.resolve()
    }
    const values = { channelKey: 'ab'.repeat(24), keyExpires: Math.floor(time.now() / 1000) + 86_400 }
    expect(await channels.replaceKey('a', 1)).toMatchObject({ channel: { row: values } })
    expect(stored).toEqual([['a', values]])
    expect(changes).toEqual([['a', 'key']])
    expect(await channels.replaceKey('unknown', 1)).toBe('gone')
    expect(await channels.freshAddress('unknown', 1)).toBe('gone')
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
    store.setKey = (cid, values) => {
      stored.push([cid, values])
      return Promise.resolve()
    }
    const now = time.now() / 1000
    const { row: made } = (await channels.create(1, 'new', 2)) as Channel
    changes = []
    // The same address is fresh or not by the life that is set now: half of four days is left.
    expect(await channels.freshAddress(made.cid, 3)).toMatchObject({ row: { keyExpires: now + (2 * day) / 1000 } })
    expect([stored, changes]).toEqual([[], []])
    const renewed = { keyExpires: now + (4 * day) / 1000 }
    expect(await channels.freshAddress(made.cid, 4)).toMatchObject({ row: { ...renewed, channelKey: made.channelKey } })
    expect([stored, changes]).toEqual([[[made.cid, renewed]], [[made.cid, 'key']]])
  })
})

describe('a change of a channel', () => {
  it('takes effect only once it is stored', async () => {
    const gate = Promise.withResolvers<void>()
    store.insert = () => gate.promise
    const making = channels.create(1, 'new', 30)
    expect(channels.of(1).map((one) => one.row.name)).toEqual(['a', 'b', 'c'])
    // The name is taken meanwhile.
    expect(await channels.create(1, 'new', 30)).toBe('taken')
    gate.resolve()
    await making
    expect(channels.of(1).map((one) => one.row.name)).toEqual(['a', 'b', 'c', 'new'])
    const renaming = Promise.withResolvers<boolean>()
    store.rename = () => renaming.promise
    const renamed = channels.rename('a', 'x')
    expect(channels.get('a')!.row.name).toBe('a')
    expect(await channels.create(1, 'x', 30)).toBe('taken')
    renaming.resolve(true)
    await renamed
    expect(channels.get('a')!.row.name).toBe('x')
  })

  it('to the name that it has is stored, and told to nobody', async () => {
    const stored: unknown[] = []
    store.rename = (cid, name) => {
      stored.push([cid, name])
      return Promise.resolve(true)
    }
    expect(await channels.rename('a', 'a')).toMatchObject({ row: { name: 'a' } })
    expect([stored, changes]).toEqual([[['a', 'a']], []])
    expect(await channels.create(1, 'a', 30)).toBe('taken')
  })

  it('ends with the name that was stored last where it is renamed at once, and frees the others', async () => {
    const stored: string[] = []
    // The later, the sooner answered.
    store.rename = async (_cid, name) => {
      const turns = 4 - stored.push(name)
      for (let turn = 0; turn < turns; turn++) await setImmediate()
      return true
    }
    await Promise.all(['x', 'a', 'y'].map((name) => channels.rename('a', name)))
    store = {}
    expect([stored, channels.get('a')!.row.name]).toEqual([['x', 'a', 'y'], 'y'])
    expect(await channels.create(1, 'x', 30)).toMatchObject({ row: { name: 'x' } })
    expect(await channels.create(1, 'a', 30)).toMatchObject({ row: { name: 'a' } })
    expect(await channels.create(1, 'y', 30)).toBe('taken')
  })

  it('that is made while another is stored is kept in the order in which they are stored', async () => {
    const stored: unknown[] = []
    store.setRecording = async (_cid, { filename }) => {
      const turns = 4 - stored.push(filename)
      for (let turn = 0; turn < turns; turn++) await setImmediate()
      return true
    }
    await Promise.all(['one', 'two'].map((filename) => channels.setRecording('a', { filename })))
    expect([stored, channels.get('a')!.row.filename]).toEqual([['one', 'two'], 'two'])
  })

  it('of a channel that is deleted meanwhile is told to nobody', async () => {
    const gate = Promise.withResolvers<string[]>()
    store.setDisabled = () => gate.promise
    const enabling = channels.enable(['a', 'b'])
    await channels.remove('a')
    changes = []
    gate.resolve(['a', 'b'])
    await enabling
    expect(changes).toEqual([['b', 'tally']])
    const key = Promise.withResolvers<void>()
    store.setKey = () => key.promise
    const replacing = channels.replaceKey('b', 1)
    await channels.remove('b')
    key.resolve()
    expect(await replacing).toBe('gone')
    const removing = Promise.withResolvers<boolean>()
    store.remove = () => removing.promise
    const twice = [channels.remove('c'), channels.remove('c')]
    removing.resolve(true)
    expect(await Promise.all(twice)).toEqual([true, false])
  })

  it('removes it with the time of now', async () => {
    const stored: unknown[] = []
    store.remove = (cid, at) => {
      stored.push([cid, at])
      return Promise.resolve(true)
    }
    expect(await channels.remove('a')).toBe(true)
    expect(stored).toEqual([['a', time.now()]])
  })
})
