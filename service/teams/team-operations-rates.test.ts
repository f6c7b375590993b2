import { afterEach, beforeEach, expect, it } from 'vitest'
import { accounts, teams } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await service.call(accounts.create, { accid: 'olga' })
})
afterEach(() => service.close())

it('416: all operations on teams together have 600 calls in a minute for one address, failing ones too, of whatever application', async () => {
  const operations: readonly Operation[] = Object.values(teams).filter((operation) => operation !== teams.query)
  let taken = 0
  while (taken < 600)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const index = taken++
        const client = index % 3 === 0 ? service.other : service
        expect((await client.send(operations[index % operations.length]!, '')).code).toBe(414)
      }),
    )
  for (const operation of Object.values<Operation>(teams)) {
    expect([operation.path, (await service.send(operation, '')).code]).toEqual([operation.path, 416])
    expect([operation.path, (await service.other.send(operation, '')).code]).toEqual([operation.path, 416])
  }
  // Other operations continue.
  expect((await service.call(accounts.create, { accid: 'adam' })).code).toBe(200)
})

it('416: query has 30 calls in a minute for one application, and the others go on', async () => {
  for (let count = 0; count < 30; count++)
    expect((await service.call(teams.query, { tids: ['1'], ope: 0 })).code).toBe(414)
  expect(await service.call(teams.query, { tids: ['1'], ope: 0 })).toMatchObject({
    code: 416,
    desc: 'more than 30 calls in 60 s',
  })
  expect((await service.other.call(teams.query, { tids: ['1'], ope: 0 })).code).toBe(414)
  expect((await service.call(teams.joinTeams, { accid: 'olga' })).code).toBe(200)
})
