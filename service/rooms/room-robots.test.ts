import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { robots as contract } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import type { Caller } from '../http/dispatch.ts'
import { robotOperations } from './room-robots.ts'
import { startStoredRoom, storedUid, type StoredRoom, type ToldFrame } from './testing/stored-room.ts'

let rig: StoredRoom
beforeEach(async () => {
  rig = await startStoredRoom()
  onTestFinished(() => rig.close())
})
const call = async (operation: Operation, args: object): Promise<{ fail: unknown; success: unknown }> => {
  const reading = readParameters(operation, { roomid: 7, ...args })
  if (!reading.ok) throw new Error(reading.refusal.reason)
  const served = robotOperations(rig.context).find((each) => each.operation === operation)!
  const caller = { application: { uid: storedUid }, subnet: '::1' } as Caller
  const { desc } = (await served.answer!(reading.value as never, caller)) as {
    desc: { failAccids: string; successAccids: string }
  }
  return { fail: JSON.parse(desc.failAccids), success: JSON.parse(desc.successAccids) }
}
const add = (accids: readonly string[], more: object = {}) => call(contract.add, { accids, ...more })
const remove = (accids: readonly string[]) => call(contract.remove, { accids })
/** Who came and went, once all are told of it. */
const notices = (told: ToldFrame[]) => {
  rig.clock.advance(100)
  return told.splice(0).map(({ attach }) => {
    const { id, data } = JSON.parse(String(attach)) as { id: number; data: { operator: string; ext: string } }
    return [id, data.operator, data.ext]
  })
}

it('robots come in order, each with the extension and its own time, and are told with another extension', async () => {
  const told = rig.enter('cara')
  expect(await add(['mona', 'mike', 'mona'], { roleExt: 'r', notifyExt: 'n' })).toEqual({
    fail: [],
    success: ['mona', 'mike'],
  })
  const [one, two] = [...rig.room.robots.values()]
  expect([one, two]).toMatchObject([
    { accid: 'mona', ext: 'r' },
    { accid: 'mike', ext: 'r' },
  ])
  expect(two!.entered).toBeGreaterThan(one!.entered)
  expect([...(await rig.reread()).robots.keys()]).toEqual(['mona', 'mike'])
  expect(notices(told)).toEqual([
    [301, 'mona', 'n'],
    [301, 'mike', 'n'],
  ])
  expect(await remove(['mike', 'nora', 'mike'])).toEqual({ fail: ['nora'], success: ['mike'] })
  expect(notices(told)).toEqual([[302, 'mike', '']])
  expect([...(await rig.reread()).robots.keys()]).toEqual(['mona'])
})

it('robots fail that are unknown, inside, there already or blacklisted, and the others come', async () => {
  rig.enter('nora')
  rig.mark('stan', { blacklisted: 1 })
  await add(['mona'])
  expect(await add(['mona', 'nora', 'stan', 'nobody', 'mike'])).toEqual({
    fail: ['mona', 'nora', 'stan', 'nobody'],
    success: ['mike'],
  })
})

it('where none can come the reason is said: blacklisted before there already, unknown ones only fail', async () => {
  rig.mark('stan', { blacklisted: 1 })
  await add(['mona'])
  await expect(add(['mona', 'stan'])).rejects.toMatchObject({ code: 13003, message: 'blacklisted from the room' })
  await expect(add(['mona', 'nobody'])).rejects.toMatchObject({ code: 417, message: 'in the room already' })
  expect(await add(['nobody'])).toEqual({ fail: ['nobody'], success: [] })
})

it('a room has as many robots as the settings allow, all of a call or none', async () => {
  rig.limits.roomRobots = 2
  await add(['mona'])
  await expect(add(['mike', 'nora'])).rejects.toMatchObject({ code: 419, message: 'the room may have 2 robots' })
  expect(rig.room.robots.size).toBe(1)
  expect(await add(['mike'])).toEqual({ fail: [], success: ['mike'] })
})

it('a closed room takes no robots but lets them go, and nobody is told where none went', async () => {
  await add(['mona'])
  await rig.context.commit(rig.room, { room: { ...rig.room.row, valid: 0 } })
  await expect(add(['mike'])).rejects.toMatchObject({ code: 403, message: 'the room is closed' })
  const told = rig.enter('cara')
  expect(await remove(['mike'])).toEqual({ fail: ['mike'], success: [] })
  expect(told).toEqual([])
  expect(await remove(['mona'])).toEqual({ fail: [], success: ['mona'] })
})
