import { expect, it } from 'vitest'
import type { Air, AirChannel, AirRoom } from './on-air-state.ts'
import type { Settings } from '../contract/rpc/index.ts'
import { createQuickActions, type Outcome, type QuickActionPorts } from './quick-actions.ts'

const room = (roomid: number, muted = false): AirRoom => ({ profileId: 'local', roomid, name: `r${roomid}`, muted })
const channel: AirChannel = {
  profileId: 'local',
  cid: 'c'.repeat(32),
  name: 'show',
  since: 1,
  recording: false,
  stale: false,
}

function start(air: { rooms: AirRoom[]; channels: AirChannel[] }, setting: object = {}, settings?: Settings) {
  const told: Outcome[] = []
  const done: string[] = []
  const broken = new Set<number>()
  const actions = createQuickActions({
    air: (): Air => ({ lamp: 'idle', settings, ...air }),
    told: (outcome) => told.push(outcome),
    log: () => undefined,
    rpc: {
      rooms: {
        act: async ({ roomid, measure }: { roomid: number; measure: { kind: string; on?: boolean } }) => {
          if (broken.has(roomid)) throw new Error('down')
          done.push(`${measure.kind} ${roomid} ${measure.on}`)
          air.rooms = air.rooms.map((one) => (one.roomid === roomid ? { ...one, muted: measure.on === true } : one))
        },
      },
      channels: {
        list: () =>
          Promise.resolve({
            total: 1,
            channels: [{ ...channel, format: 'flv', duration: 30, filename: 'f', ...setting }],
          }),
      },
      recordings: {
        configure: (wanted: object) => {
          done.push(JSON.stringify(wanted))
          return Promise.resolve()
        },
      },
    } as unknown as QuickActionPorts['rpc'],
  })
  return { actions, told, done, broken, air }
}

it('mutes every open room that is not, and lifts only in those', async () => {
  const { actions, told, done } = start({ rooms: [room(1), room(2, true), room(3)], channels: [] })
  await actions.panic()
  expect(done.splice(0)).toEqual(['muteRoom 1 true', 'muteRoom 3 true'])
  await actions.panic()
  expect(done.splice(0)).toEqual(['muteRoom 1 false', 'muteRoom 3 false'])
  expect(told).toEqual([
    { what: 'muted', about: 'r1, r3' },
    { what: 'lifted', about: 'r1, r3' },
  ])
})

it('lifts in all where somebody else had muted them, and says that none is open', async () => {
  const { actions, done, told, air } = start({ rooms: [room(1, true), room(2, true)], channels: [] })
  await actions.panic()
  expect(done).toEqual(['muteRoom 1 false', 'muteRoom 2 false'])
  air.rooms = []
  await actions.panic()
  expect(told.at(-1)).toEqual({ what: 'noRoom', about: '' })
})

it('mutes the others where one fails, and says which one did', async () => {
  const { actions, broken, done, told } = start({ rooms: [room(1), room(2)], channels: [] })
  broken.add(1)
  await actions.panic()
  expect(done).toEqual(['muteRoom 2 true'])
  expect(told).toEqual([{ what: 'failed', about: 'r1' }])
})

it('is not asked twice at once', async () => {
  const { actions, done } = start({ rooms: [room(1)], channels: [] })
  await Promise.all([actions.panic(), actions.panic(), actions.muteRoom(room(1), true)])
  expect(done).toEqual(['muteRoom 1 true'])
})

it('records what is longest on air with the settings that the channel has, and stops that', async () => {
  const { actions, done, told, air } = start({ rooms: [], channels: [channel] })
  await actions.toggleRecord()
  const wanted = { profileId: 'local', cid: channel.cid, needRecord: true, format: 'flv', duration: 30, filename: 'f' }
  expect(JSON.parse(done[0] ?? '')).toEqual(wanted)
  air.channels = [{ ...channel, recording: true }]
  await actions.toggleRecord()
  expect(JSON.parse(done[1] ?? '')).toEqual({ ...wanted, needRecord: false })
  air.channels = []
  await actions.toggleRecord()
  expect(told.map(({ what }) => what)).toEqual(['recording', 'recordingEnds', 'noChannel'])
})

it('records a channel that nobody has set as files that can be merged, under its name', async () => {
  const { actions, done } = start(
    { rooms: [], channels: [channel] },
    { name: 'Night_show', duration: 120, filename: '' },
  )
  await actions.toggleRecord()
  expect(JSON.parse(done[0] ?? '')).toMatchObject({ needRecord: true, format: 'mp4', filename: 'Nightshow' })
})

it('records a channel that nobody has set as the settings say', async () => {
  const recording = { everyPush: false, format: 'mp4', minutes: 10, named: false } as const
  const { actions, done } = start(
    { rooms: [], channels: [channel] },
    { name: 'Night_show', duration: 120, filename: '' },
    { recording } as Settings,
  )
  await actions.toggleRecord()
  expect(JSON.parse(done[0] ?? '')).toMatchObject({ needRecord: true, format: 'mp4', duration: 10, filename: '' })
})
