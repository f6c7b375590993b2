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
const addresses = () => ({ media: 'http://m', rtmp: 'rtmp://r' })
const clock = manualClock()
let asked: unknown[]
beforeEach(() => {
  asked = []
})
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
      setDisabled: () => Promise.resolve([]),
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

  it('cut the push of a channel that was disabled or removed, after that is stored, and of no other', async () => {
    const call = bench({
      remove: () => {
        asked.push('removed')
        return Promise.resolve(true)
      },
      setDisabled: (cids, disabled) => {
        asked.push([[...cids], disabled])
        return Promise.resolve([...cids])
      },
    })
    expect(await call(live.pauseMany, { cidList: ['a', 'unknown'] })).toEqual({ ret: { successList: ['a'] } })
    expect(await call(live.resumeMany, { cidList: ['a'] })).toEqual({ ret: { successList: ['a'] } })
    await call(live.remove, { cid: 'a' })
    expect(asked).toEqual([[['a'], true], ['a', 'disabled'], [['a'], false], 'removed', ['a', 'deleted']])
  })
})

describe('operations of this service', () => {
  const bench = (room: { readonly room: number | undefined; readonly needs: number | undefined }, full = false) =>
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
      recording: { room: () => Promise.resolve({ ...room, reserve: 30 }) },
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
      listeners: [{ name: 'api', address: '127.0.0.1', port: 1, wanted: 0 }],
    }
    expect(await callOf(bench({ room: 10, needs: 20 }))(local.info, {})).toEqual({
      ret: { ...known, recordingRoom: 10, recordingNeeds: 20 },
    })
    expect(await callOf(bench({ room: undefined, needs: undefined }))(local.info, {})).toEqual({ ret: known })
  })

  it('tell events only once what came during a sleep was read, and not to more than they can', async () => {
    const begin = (served: readonly Served[]) =>
      served.find(({ operation }) => operation === local.events)!.stream!({} as never, caller, {
        write: () => undefined,
        end: () => undefined,
      })
    expect(await begin(bench({ room: 1, needs: 1 }))).toBeTypeOf('function')
    expect(asked).toEqual(['caught up', 'subscribed'])
    await expect(begin(bench({ room: 1, needs: 1 }, true))).rejects.toMatchObject({ code: local.events.fault })
  })

  it('tell each channel that is asked for once', async () => {
    const call = callOf(bench({ room: 1, needs: 1 }))
    expect(await call(local.channelDetails, { cidList: ['a', 'a'] })).toEqual({
      ret: { list: [{ cid: 'a', status: 0, keyExpires: 5000, viewers: 3 }] },
    })
    await expect(call(local.replaceKey, { cid: 'a' })).rejects.toMatchObject({ code: local.replaceKey.unknown })
  })
})
