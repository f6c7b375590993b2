import { expect, it } from 'vitest'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { createReadCheck } from './moderator-check.ts'

/** A check that counts how often it asks, and refuses when it is told to. */
function stage() {
  let now = 1_000
  let asked = 0
  let moderates = true
  const service = {} as Client
  const check = createReadCheck(
    () => {
      asked += 1
      return moderates ? Promise.resolve() : Promise.reject(new Failure('code', 'no moderator', { code: 403 }))
    },
    () => now,
  )
  return {
    read: (isLocal: boolean, accid = 'mei') => check(service, isLocal, { profileId: 'p', roomid: 7, accid }),
    pass: (ms: number): void => void (now += ms),
    demote: (): void => void (moderates = false),
    asked: () => asked,
  }
}

it('asks the service of this computer before each read', async () => {
  const { read, demote, asked } = stage()
  for (let times = 0; times < 3; times++) await read(true)
  expect(asked()).toBe(3)
  demote()
  await expect(read(true)).rejects.toThrow('no moderator')
})

it('asks a hosted service once in half a minute for each moderator, and keeps no refusal', async () => {
  const { read, pass, demote, asked } = stage()
  for (let times = 0; times < 15; times++) {
    await read(false)
    pass(2_000)
  }
  expect(asked()).toBe(1)
  await read(false)
  await read(false, 'rob')
  expect(asked()).toBe(3)
  demote()
  await read(false)
  pass(30_000)
  for (let times = 0; times < 2; times++) await expect(read(false)).rejects.toThrow('no moderator')
  expect(asked()).toBe(5)
})
