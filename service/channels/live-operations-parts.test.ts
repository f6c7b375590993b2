import { tmpdir } from 'node:os'
import { beforeEach, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Application, Applications } from '../applications.ts'
import type { Caller, Served } from '../http/dispatch.ts'
import type { Channel, Channels } from './channels.ts'
import { liveOperations } from './live-operations.ts'
import { localOperations } from './live-operations-local.ts'

const channel: Channel = {
  row: {
    cid: 'a',
    uid: 7,
    name: 'a',
    type: 0,
    ctime: 1,
    disabled: 0,
    needRecord: 0,
    format: 1,
    duration: 120,
    filename: '',
    channelKey: 'key',
    keyExpires: 5,
  },
  since: undefined,
  recording: false,
}
const settings = { ownerPresent: true, liveEnabled: true, pushLifeDays: 30 }
const caller = { application: { uid: 7, settings } as Application, subnet: '127.0.0.1' } satisfies Caller
const addresses = () => ({ media: 'http://m', rtmp: 'rtmp://r', link: 'ws://m/link' })
const clock = manualClock()
let asked: unknown[]
beforeEach(() => {
  asked = []
})
/** Channels of which each is disabled and enabled. */
const disabling: Pick<Channels, 'disable' | 'enable'> = {
  disable(cids) {
    asked.push([[...cids], true])
    return { done: [...cids], stored: Promise.resolve(undefined) }
  },
  enable(cids) {
    asked.push([[...cids], false])
    return Promise.resolve([...cids])
  },
}
const callOf =
  (served: readonly Served[]) =>
  async (operation: Operation, args: object): Promise<unknown> =>
    served.find((one) => one.operation === operation)!.answer!(args as never, caller)

describe('operations on a channel that goes while it is changed', () => {
  const bench = (channels: Partial<Channels>) =>
    callOf(
      liveOperations({
        channels: { get: (cid: string) => (cid === 'a' ? channel : undefined), ...channels } as Channels,
        addresses,
        cut: (cid, why) => void asked.push([cid, why]),
      }),
    )

  it('answer as for one that is not there, and cut nothing', async () => {
    const call = bench({
      rename: () => Promise.resolve('gone'),
      remove: () => Promise.resolve(false),
      freshAddress: () => Promise.resolve('gone'),
      disable: () => ({ done: [], stored: Promise.resolve(undefined) }),
    })
    await expect(call(live.update, { cid: 'a', name: 'b' })).rejects.toMatchObject({ code: live.update.unknown })
    await expect(call(live.remove, { cid: 'a' })).rejects.toMatchObject({ code: live.remove.unknown })
    await expect(call(live.address, { cid: 'a' })).rejects.toMatchObject({ code: live.address.unknown })
    await expect(call(live.pause, { cid: 'a' })).rejects.toMatchObject({ code: 629 })
    expect(asked).toEqual([])
  })

  it('answer 611 where the database already has the name', async () => {
    const call = bench({ create: () => Promise.reject(Object.assign(new Error('unique'), { errcode: 2067 })) })
    await expect(call(live.create, { name: 'a' })).rejects.toMatchObject({ code: 611 })
  })

  it('cut the push of a channel that was disabled, before that is stored, or removed, and of no other', async () => {
    const call = bench({
      remove: () => {
        asked.push('removed')
        return Promise.resolve(true)
      },
      ...disabling,
    })
    expect(await call(live.pauseMany, { cidList: ['a', 'unknown'] })).toEqual({ ret: { successList: ['a'] } })
    expect(await call(live.resumeMany, { cidList: ['a'] })).toEqual({ ret: { successList: ['a'] } })
    await call(live.remove, { cid: 'a' })
    expect(asked).toEqual([[['a'], true], ['a', 'disabled'], [['a'], false], 'removed', ['a', 'deleted']])
  })
})

describe('operations of this service', () => {
  const bench = (space: { readonly space: number | undefined; readonly needs: number | undefined }, full = false) =>
    localOperations({
      channels: {
        get: () => channel,
        replaceKey: () => Promise.resolve('gone'),
      } as Partial<Channels> as Channels,
      applications: {} as Applications,
      events: {
        subscribe: () => {
          asked.push('subscribed')
          return full ? 'full' : () => undefined
        },
      },
      rtmp: {
        caughtUp: async () => {
          await Promise.resolve()
          asked.push('caught up')
        },
      },
      addresses,
      hub: { viewers: () => 3 },
      clock,
      recording: { space: () => Promise.resolve({ ...space, reserve: 30 }) },
      description: {
        version: '1.2.3',
        startedAt: 5,
        timeZone: 'UTC',
        dataDir: tmpdir(),
        listeners: () => [{ name: 'api', address: '127.0.0.1', port: 1, wanted: 0 }],
      },
    })

  it('describe it, with the room for recordings where that is known', async () => {
    const known = {
      version: '1.2.3',
      uid: 7,
      startedAt: 5,
      time: clock.now(),
      timeZone: 'UTC',
      dataDir: tmpdir(),
      diskFree: expect.any(Number) as number,
      recordingReserve: 30,
      media: 'http://m',
      link: 'ws://m/link',
      listeners: [{ name: 'api', address: '127.0.0.1', port: 1, wanted: 0 }],
    }
    expect(await callOf(bench({ space: 10, needs: 20 }))(local.info, {})).toEqual({
      ret: { ...known, recordingRoom: 10, recordingNeeds: 20 },
    })
    expect(await callOf(bench({ space: undefined, needs: undefined }))(local.info, {})).toEqual({ ret: known })
  })

  it('tell events only once what came during a sleep was read, and not to more than they can', async () => {
    const begin = (served: readonly Served[]) =>
      served.find(({ operation }) => operation === local.events)!.stream!({} as never, caller, {
        write: () => undefined,
        end: () => undefined,
      })
    expect(await begin(bench({ space: 1, needs: 1 }))).toBeTypeOf('function')
    expect(asked).toEqual(['caught up', 'subscribed'])
    await expect(begin(bench({ space: 1, needs: 1 }, true))).rejects.toMatchObject({ code: local.events.fault })
  })

  it('tell each channel that is asked for once', async () => {
    const call = callOf(bench({ space: 1, needs: 1 }))
    expect(await call(local.channelDetails, { cidList: ['a', 'a'] })).toEqual({
      ret: { list: [{ cid: 'a', status: 0, keyExpires: 5000, viewers: 3 }] },
    })
    await expect(call(local.replaceKey, { cid: 'a' })).rejects.toMatchObject({ code: local.replaceKey.unknown })
  })
})

describe('operations on channels', () => {
  const onAir: Channel = {
    row: { ...channel.row, needRecord: 1, format: 0, duration: 5, filename: 'show', name: 'film', ctime: 9 },
    since: 3,
    recording: true,
  }
  const bench = (channels: Partial<Channels>, more: Partial<typeof settings> = {}) => {
    const served = liveOperations({
      channels: { get: (cid: string) => (cid === 'a' ? onAir : undefined), ...channels } as Channels,
      addresses,
      cut: (cid, why) => void asked.push([cid, why]),
    })
    const by = { ...caller, application: { uid: 7, settings: { ...settings, ...more } } as Application }
    return async (operation: Operation, args: object): Promise<unknown> =>
      served.find((one) => one.operation === operation)!.answer!(args as never, by)
  }
  const readBack = {
    ctime: 9,
    cid: 'a',
    name: 'film',
    status: 3,
    type: 0,
    uid: 7,
    needRecord: 1,
    format: 0,
    duration: 5,
    filename: 'show',
  }

  it('read a channel back with its status and settings of recording, and nothing of its key', async () => {
    expect(await bench({})(live.state, { cid: 'a' })).toEqual({ ret: readBack })
  })

  it('make a channel with the life of addresses that is set, and answer all its addresses', async () => {
    const call = bench({
      create: (...given) => {
        asked.push(given)
        return Promise.resolve(onAir)
      },
    })
    expect(await call(live.create, { name: 'film' })).toEqual({
      ret: {
        cid: 'a',
        ctime: 9,
        name: 'film',
        pushUrl: expect.stringMatching(/^rtmp:\/\/r\/live\/a\?wsSecret=[0-9a-f]{32}&wsTime=5$/) as string,
        httpPullUrl: 'http://m/live/a.flv',
        hlsPullUrl: 'http://m/live/a/playlist.m3u8',
        rtmpPullUrl: 'rtmp://r/live/a',
      },
    })
    expect(asked).toEqual([[7, 'film', 30]])
  })

  it('make no channel while live is off or the owner is not known, whose code comes first', async () => {
    const create = () => {
      asked.push('made')
      return Promise.resolve(onAir)
    }
    await expect(bench({ create }, { liveEnabled: false })(live.create, { name: 'x' })).rejects.toMatchObject({
      code: 635,
    })
    await expect(
      bench({ create }, { liveEnabled: false, ownerPresent: false })(live.create, { name: 'x' }),
    ).rejects.toMatchObject({ code: 607 })
    expect(asked).toEqual([])
  })

  it('list the page that is asked for in the order that is asked for, with the totals', async () => {
    const state = { total: 20 }
    const call = bench({
      page: (request) => {
        asked.push(request)
        return Promise.resolve({ channels: [onAir], total: state.total })
      },
    })
    const list = (pnum: number, sort = 0) => call(live.list, { records: 10, pnum, sort })
    expect(await list(2, 1)).toEqual({
      ret: { pnum: 2, totalPnum: 2, records: 10, totalRecords: 20, list: [readBack] },
    })
    await expect(list(3)).rejects.toMatchObject({ code: 618 })
    expect(asked).toEqual([
      { uid: 7, page: 2, size: 10, ascending: true },
      { uid: 7, page: 3, size: 10, ascending: false },
    ])
    state.total = 21
    expect(await list(3)).toMatchObject({ ret: { totalPnum: 3 } })
    state.total = 0
    expect(await list(1)).toMatchObject({ ret: { totalPnum: 0, totalRecords: 0 } })
    await expect(list(2)).rejects.toMatchObject({ code: 618 })
  })

  it('give an address with the life that is set, and the name of the channel', async () => {
    const call = bench({
      freshAddress: (...given) => {
        asked.push(given)
        return Promise.resolve(onAir)
      },
    })
    expect(await call(live.address, { cid: 'a' })).toMatchObject({
      ret: { name: 'film', rtmpPullUrl: 'rtmp://r/live/a' },
    })
    expect(asked).toEqual([['a', 30]])
  })

  it('disable and enable without an owner; only disabling cuts the push', async () => {
    const call = bench(
      {
        ...disabling,
      },
      { ownerPresent: false },
    )
    expect(await call(live.resume, { cid: 'a' })).toEqual({})
    expect(await call(live.pause, { cid: 'a' })).toEqual({})
    expect(asked).toEqual([
      [['a'], false],
      [['a'], true],
      ['a', 'disabled'],
    ])
    for (const operation of [live.state, live.address, live.remove, live.update])
      await expect(call(operation, { cid: 'a', name: 'x' })).rejects.toMatchObject({ code: 607 })
  })

  it('say of a pause that the disk refuses that it holds, and what a restart does', async () => {
    const call = bench({ disable: (cids) => ({ done: [...cids], stored: Promise.resolve('full' as const) }) })
    const msg = expect.stringMatching(/in force, but not stored.*disk.*full.*restart before then undoes/) as string
    expect(await call(live.pause, { cid: 'a' })).toEqual({ msg })
    expect(await call(live.pauseMany, { cidList: ['a'] })).toEqual({ ret: { successList: ['a'] }, msg })
    expect(asked).toEqual([
      ['a', 'disabled'],
      ['a', 'disabled'],
    ])
  })

  it('enable no channel that is enabled, which is 630', async () => {
    const call = bench({
      enable: () => Promise.resolve([]),
      disable: () => ({ done: [], stored: Promise.resolve(undefined) }),
    })
    await expect(call(live.resume, { cid: 'a' })).rejects.toMatchObject({ code: 630 })
    await expect(call(live.pause, { cid: 'a' })).rejects.toMatchObject({ code: 629 })
    expect(asked).toEqual([])
  })
})

describe('the key of a channel', () => {
  it('is replaced with the life of addresses that is set, and the new address is the answer', async () => {
    const replaced = { ...channel, row: { ...channel.row, channelKey: 'new', keyExpires: 9 } }
    const call = callOf(
      localOperations({
        channels: {
          get: () => channel,
          replaceKey: (...given) => {
            asked.push(given)
            return Promise.resolve({ channel: replaced })
          },
        } as Partial<Channels> as Channels,
        applications: {
          readSettings: (uid: number) => {
            asked.push(uid)
            return Promise.resolve({ frozen: true })
          },
          updateSettings: (uid: number, changes: object) => {
            asked.push([uid, changes])
            return Promise.resolve({ frozen: false })
          },
        } as object as Applications,
        events: { subscribe: () => 'full' },
        rtmp: { caughtUp: () => Promise.resolve() },
        addresses,
        hub: { viewers: () => 0 },
        clock,
        recording: { space: () => Promise.resolve({ space: 1, needs: 1, reserve: 1 }) },
        description: { version: '', startedAt: 0, timeZone: '', dataDir: tmpdir(), listeners: () => [] },
      }),
    )
    const { ret } = (await call(local.replaceKey, { cid: 'a' })) as { ret: { pushUrl: string } }
    expect(ret.pushUrl).toMatch(/^rtmp:\/\/r\/live\/a\?wsSecret=[0-9a-f]{32}&wsTime=9$/)
    // Settings are those of the caller's application.
    expect(await call(local.settings, {})).toEqual({ ret: { frozen: true } })
    expect(await call(local.updateSettings, { frozen: false })).toEqual({ ret: { frozen: false } })
    expect(asked).toEqual([['a', 30], 7, [7, { frozen: false }]])
  })
})

describe('a channel that is not of the caller', () => {
  const foreign: Channel = { ...channel, row: { ...channel.row, uid: 8 } }
  const call = callOf(
    liveOperations({
      channels: { get: (cid: string) => (cid === 'a' ? foreign : undefined) } as Channels,
      addresses,
      cut: () => expect.unreachable(),
    }),
  )

  it.each([
    ['update', live.update, 605, 605],
    ['delete', live.remove, 603, 603],
    ['channelstats', live.state, 602, 617],
    ['address', live.address, 602, 617],
    ['pause', live.pause, 618, 617],
    ['resume', live.resume, 618, 617],
  ] as const)(
    'is refused by %s with the code for one that is not there or is foreign',
    async (_name, operation, unknown, other) => {
      await expect(call(operation, { cid: 'none', name: 'x' })).rejects.toMatchObject({ code: unknown })
      await expect(call(operation, { cid: 'a', name: 'x' })).rejects.toMatchObject({ code: other })
    },
  )

  it('is left out of a batch that disables or enables, and its push is not cut', async () => {
    const asked: unknown[] = []
    const batch = callOf(
      liveOperations({
        channels: {
          get: (cid: string) => (cid === 'a' ? foreign : cid === 'own' ? channel : undefined),
          disable(cids) {
            asked.push([[...cids], true])
            return { done: [...cids], stored: Promise.resolve(undefined) }
          },
          async enable(cids) {
            asked.push([[...cids], false])
            return [...cids]
          },
        } as Partial<Channels> as Channels,
        addresses,
        cut: (cid) => void asked.push(cid),
      }),
    )
    const cidList = ['a', 'own', 'none']
    expect(await batch(live.pauseMany, { cidList })).toEqual({ ret: { successList: ['own'] } })
    expect(await batch(live.resumeMany, { cidList })).toEqual({ ret: { successList: ['own'] } })
    expect(asked).toEqual([[['own'], true], 'own', [['own'], false]])
  })

  it('has the same words as one that is not there, where its presence must not show', async () => {
    const messageOf = (cid: string): Promise<string> =>
      call(live.update, { cid, name: 'x' }).then(
        () => 'none',
        (error: Error) => error.message,
      )
    expect(await messageOf('a')).toBe(await messageOf('none'))
    await expect(call(live.state, { cid: 'a' })).rejects.toThrow('another application')
  })
})
