import { expect, it } from 'vitest'
import { chatrooms } from '../../contract/operations/chatrooms.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { carryOut } from './measures.ts'

it('somebody is muted also while a hosted service does not say for how long they are already', async () => {
  const called: unknown[] = []
  // A service that is too busy for one call and not for the next cannot be had from outside.
  const client = {
    call: async (operation: unknown) => {
      called.push(operation)
      if (operation === chatrooms.queryMembers) throw new Failure('refused', 'too many calls', { code: 416 })
      return { desc: {} }
    },
  } as unknown as Client
  const measure = { kind: 'temporaryMute', target: 'adam', seconds: 60 } as const
  expect(await carryOut(client, { roomid: 1, operator: 'host', measure, why: '', isLocal: false })).not.toHaveProperty(
    'replaced',
    0,
  )
  expect(called).toEqual([chatrooms.queryMembers, chatrooms.temporaryMute])
})
