import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const folder = scratch()
const profileId = 'local'
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
let rig: Rig
let roomid = 0
const rpc = () => rig.page.rpc
const start = async (): Promise<void> => {
  rig = await startRig(folder.dir, { vault })
}
const seatOf = async (id: string) => (await rpc().seats.board()).seats.find((seat) => seat.id === id)
const actions = async (target: string) =>
  (await rpc().rooms.actions({ profileId, roomid, target })).map(({ what, result }) => [what.kind, result]).reverse()
const isModerator = async (accid: string) =>
  (await rpc().operations.chatrooms.membersByPage({ profileId, call: { roomid, type: 0, limit: 100 } })).desc.data.some(
    (member) => member.accid === accid && member.type === 2,
  )
const tokenOf = async (accid: string) => {
  const { installation } = JSON.parse(readFileSync(path.join(folder.dir, 'profiles.json'), 'utf8')) as {
    installation: string
  }
  return vault.get(`${installation}:token:local:${accid}`)
}
/** Takes a seat back in the moment in which the service was killed. */
const half = async (accid: string) => {
  const { seat, token } = await rpc().seats.invite({ profileId, roomid, accid, name: accid.toUpperCase() })
  process.kill(rig.processes.at(-1)!.pid!, 'SIGKILL')
  const { steps } = await rpc().seats.revoke({ id: seat.id })
  expect(steps.map(({ what, ok }) => [what, ok])).toEqual([
    ['sessions', true],
    ['kept', true],
    ['role', false],
    ['token', false],
    ['link', false],
  ])
  expect(await seatOf(seat.id)).toMatchObject({
    state: 'revoked',
    owed: ['role', 'token', 'link'],
    owedReason: { code: expect.stringMatching(/^(?:away|answered|full)$/) as string },
  })
  expect(await failureOf(rpc().seats.forget({ id: seat.id }))).toMatchObject({ kind: 'absent' })
  expect((await actions(accid)).at(-1)).toEqual(['revoke', 'partly'])
  return { id: seat.id, token }
}
const finished = async (accid: string, { id, token }: { id: string; token: string }): Promise<void> => {
  await until('nothing to be left', async () => (await seatOf(id))?.owed.length === 0)
  expect(await isModerator(accid)).toBe(false)
  expect(await tokenOf(accid)).not.toBe(token)
  await until('the entry', async () => (await actions(accid)).at(-1)?.join() === 'finishRevoke,done')
}

beforeAll(async () => {
  await start()
  await rig.companion.serviceReady(150_000)
  roomid = (await rpc().rooms.create({ profileId, accid: 'ana', name: 'night room', announcement: '' })).roomid
})
afterAll(async () => {
  await rig?.close()
  folder[Symbol.dispose]()
})

it('a seat that is taken back while the service is away is taken back wholly by itself when it answers again', async () => {
  await finished('mei', await half('mei'))
})

it('and also after a restart of the app meanwhile', async () => {
  const kai = await half('kai')
  await rig.close()
  await start()
  await finished('kai', kai)
})
