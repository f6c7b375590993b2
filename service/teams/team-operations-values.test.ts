import { array, assert, asyncProperty, constantFrom, type Arbitrary } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, teams } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { startService, type TestService } from '../testing/start-service.ts'

// Values on the wire: texts at their limit and one over, in every script; enumerations; arrays. Refusals change
// nothing.

let service: TestService
let tid: string
beforeAll(async () => {
  service = await startService()
  for (const accid of ['bob', 'amy', 'eve', ...Array.from({ length: 11 }, (_, index) => `m${index}`)])
    await service.call(accounts.create, { accid })
  tid = (await service.call(teams.create, { tname: 'choir', owner: 'BOB', members: ['AMY'] })).tid!
})
afterAll(() => service.close())

const codeOf = async (operation: Operation, args: object): Promise<number> => (await service.send(operation, args)).code
const joined = async () =>
  (await service.call(teams.joinTeams, { accid: 'bob' })).infos!.find((info) => info.tid === Number(tid))!

const scripts = { ASCII: 'aZ09 +&=%"\'\\{}<>#;', Chinese: '中文汉字龍，。', astral: '😀𠮷𝒳🏳' }
const exactly = (length: number, alphabet: string): Arbitrary<string> =>
  array(constantFrom(...alphabet), { minLength: length, maxLength: length }).map((characters) => characters.join(''))

describe.each(Object.entries(scripts))('texts in %s', (_script, alphabet) => {
  it.each([
    ['tname', 64],
    ['custom', 1024],
  ] as const)('%s is kept whole with %i characters and refused with one more', async (name, most) => {
    await assert(
      asyncProperty(exactly(most, alphabet), constantFrom(...alphabet), async (text, more) => {
        expect(await codeOf(teams.update, { tid, owner: 'bob', [name]: text })).toBe(200)
        expect(await codeOf(teams.update, { tid, owner: 'bob', [name]: text + more })).toBe(414)
        expect((await joined())[name]).toBe(text)
      }),
      { numRuns: 3 },
    )
  })
  it.each([
    ['announcement', teams.update, 1024],
    ['intro', teams.update, 512],
    ['icon', teams.update, 1024],
    ['nick', teams.updateTeamNick, 32],
    ['msg', teams.add, 150],
    ['attach', teams.add, 512],
  ] as const)('%s of %o', async (name, operation, most) => {
    const base = { tid, owner: 'bob', accid: 'amy', members: ['amy'] }
    await assert(
      asyncProperty(exactly(most, alphabet), constantFrom(...alphabet), async (text, more) => {
        expect(await codeOf(operation, { ...base, [name]: text })).toBe(200)
        expect(await codeOf(operation, { ...base, [name]: text + more })).toBe(414)
      }),
      { numRuns: 2 },
    )
  })
})

describe('enumerations', () => {
  const wrong = ['-1', '3', '0.5', '1e0', 'x', '[0]', 'true', ' 1', '9007199254740993']
  it.each([
    ['joinmode', teams.update, ['0', '1', '2']],
    ['beinvitemode', teams.update, ['0', '1']],
    ['invitemode', teams.update, ['0', '1']],
    ['uptinfomode', teams.update, ['0', '1']],
    ['upcustommode', teams.update, ['0', '1']],
    ['magree', teams.add, ['0', '1']],
    ['leave', teams.changeOwner, []],
    ['ope', teams.muteTeam, ['1', '2']],
    ['mute', teams.muteTlist, ['1', '0']],
  ] as const)('%s', async (name, operation, right) => {
    const base = { tid, owner: 'bob', accid: 'amy', members: ['amy'], newowner: 'amy' }
    for (const value of right)
      expect([value, await codeOf(operation, { ...base, [name]: value })]).toEqual([value, 200])
    const refused =
      right.length === 2
        ? [...wrong, ['0', '1', '2'].find((one) => !(right as readonly string[]).includes(one))!]
        : [...wrong, ...(right.length ? [] : ['0'])]
    for (const value of refused)
      expect([value, await codeOf(operation, { ...base, [name]: value })]).toEqual([value, 414])
  })
})

describe('arrays', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`)
  it.each([
    ['create', teams.create, 200],
    ['add', teams.add, 200],
    ['addManager', teams.addManager, 10],
    ['removeManager', teams.removeManager, 10],
  ] as const)('members of %s', async (_name, operation, most) => {
    const base = { tid, tname: 't', owner: 'bob' }
    const code = (members: unknown) => codeOf(operation, { ...base, members })
    for (const members of [
      '',
      '[]',
      'amy',
      '"amy"',
      '{"0":"amy"}',
      '["amy"',
      '["amy",]',
      'null',
      '[null]',
      '[["amy"]]',
      '[""]',
      '["a b"]',
      `["${'a'.repeat(33)}"]`,
    ])
      expect([members, await code(members)]).toEqual([members, 414])
    // One over the count, of a single account; an unknown one. The owner is skipped.
    expect(await code(Array.from({ length: most + 1 }, () => 'amy'))).toBe(414)
    expect(await code(['amy', 'BOB'])).toBe(200)
    expect(await code(['BOB'])).toBe(200)
    expect(await code(['amy', 'nobody'])).toBe(414)
    expect(await code(Array.from({ length: most }, () => 'AMY'))).toBe(200)
    expect((await joined()).size).toBe(2)
  })
  it('of admins are at most 10 and 1024 characters long', async () => {
    await service.call(teams.add, { tid, owner: 'bob', members: many(11) })
    const padded = (length: number): string =>
      JSON.stringify(['m1'])
        .slice(0, -1)
        .padEnd(length - 1) + ']'
    expect(await codeOf(teams.addManager, { tid, owner: 'bob', members: padded(1024) })).toBe(200)
    expect(await codeOf(teams.addManager, { tid, owner: 'bob', members: padded(1025) })).toBe(414)
    expect(await codeOf(teams.addManager, { tid, owner: 'bob', members: many(11) })).toBe(414)
    expect(await codeOf(teams.addManager, { tid, owner: 'bob', members: many(10) })).toBe(200)
    expect((await service.call(teams.query, { tids: [tid], ope: 1 })).tinfos![0]!.admins!.sort()).toEqual(many(10))
  })
  it('of teams are at most 30, numbers or texts, each answered once, and all of them known', async () => {
    const other = (await service.call(teams.create, { tname: 'band', owner: 'bob', members: ['amy'] })).tid!
    const code = (tids: unknown) => codeOf(teams.query, { tids, ope: 0 })
    for (const tids of ['', '[]', tid, `["${tid}"`, '[null]', '[1.5]', `["${'1'.repeat(129)}"]`])
      expect([tids, await code(tids)]).toEqual([tids, tids === tid ? 414 : 414])
    expect(await code(Array.from({ length: 31 }, () => tid))).toBe(414)
    expect(await code([tid, '1'])).toBe(414)
    const { tinfos } = await service.send(teams.query, {
      tids: `[${tid},"${other}",${Array.from({ length: 28 }, () => `"${tid}"`).join()}]`,
      ope: 0,
    })
    expect(tinfos!.map((info) => info.tid)).toEqual([Number(tid), Number(other)])
  })
})
