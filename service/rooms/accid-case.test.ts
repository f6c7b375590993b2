import { expect, it } from 'vitest'
import { chatrooms, operations, robots } from '../../contract/operations/index.ts'
import type { Arguments, Operation } from '../../contract/operation.ts'
import { startRooms } from './testing/rig.ts'

it('takes accids in any case in every operation on rooms, and answers them in lower case', async () => {
  const rig = await startRooms()
  const called = new Set<string>()
  const fine = async <O extends Operation>(operation: O, args: Arguments<O>) => {
    called.add(operation.path)
    const answer = await rig.call(operation, args)
    expect([operation.path, answer.code]).toEqual([operation.path, 200])
    return answer
  }
  const { roomid } = (await fine(chatrooms.create, { creator: 'Cara', name: 'x' })).chatroom!
  const cara = { roomid, operator: 'CARA' }
  expect((await fine(chatrooms.setMemberRole, { ...cara, target: 'MONA', opt: 2, optvalue: true })).desc).toMatchObject(
    { accid: 'mona' },
  )
  await fine(chatrooms.temporaryMute, { ...cara, target: 'MONA', muteDuration: 60 })
  await fine(chatrooms.temporaryMute, { ...cara, target: 'mona', muteDuration: 0 })
  await fine(chatrooms.muteRoom, { ...cara, mute: true })
  await fine(chatrooms.requestAddr, { roomid, accid: 'MIKE' })
  expect(
    (await fine(chatrooms.sendMsg, { roomid, fromAccid: 'CARA', msgId: '1', msgType: 0, attach: 'x' })).desc,
  ).toMatchObject({ fromAccount: 'cara' })
  expect((await fine(robots.add, { roomid, accids: ['MIKE'] })).desc).toEqual({
    successAccids: '["mike"]',
    failAccids: '[]',
  })
  expect((await fine(chatrooms.queryMembers, { roomid, accids: ['MIKE'] })).desc).toMatchObject({
    data: [{ accid: 'mike' }],
  })
  await fine(robots.remove, { roomid, accids: ['Mike'] })
  expect((await fine(chatrooms.toggleCloseStat, { ...cara, valid: false })).desc).toMatchObject({ creator: 'cara' })
  const named = operations.filter(
    ({ document, parameters }) =>
      document === 3 &&
      Object.values(parameters).some(
        (field) =>
          (field.kind === 'text' && field.fold) || (field.kind === 'list' && field.of.kind === 'text' && field.of.fold),
      ),
  )
  expect(named.filter(({ path }) => !called.has(path)).map(({ path }) => path)).toEqual([])
  await rig.close()
})
