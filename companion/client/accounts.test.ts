import { expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { existingAccounts } from './accounts.ts'
import type { Client } from './client.ts'

const clientOf = (call: (operation: { path: string }, args: unknown) => Promise<unknown>): Client =>
  ({ call }) as unknown as Client

it('asks for the accounts by their ids', async () => {
  const asked: unknown[] = []
  const client = clientOf((operation, args) => {
    asked.push([operation.path, args])
    return Promise.resolve({ uinfos: [{ accid: 'ana' }] })
  })
  expect(await existingAccounts(client, ['ana', 'mei'])).toEqual([{ accid: 'ana' }])
  expect(asked).toEqual([['/user/getUinfos.action', { accids: ['ana', 'mei'] }]])
})

it.each([414, 404])('has none where the service says %i, as it knows none of them', async (code) => {
  expect(
    await existingAccounts(
      clientOf(() => Promise.reject(new Failure('missing', '', { code }))),
      ['ana'],
    ),
  ).toEqual([])
})

it('passes any other failure on', async () => {
  for (const failure of [new Failure('code', '', { code: 500 }), new Failure('down', ''), new Error('414')])
    await expect(
      existingAccounts(
        clientOf(() => Promise.reject(failure)),
        ['ana'],
      ),
    ).rejects.toBe(failure)
})
