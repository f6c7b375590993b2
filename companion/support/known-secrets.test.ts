import { describe, expect, it } from 'vitest'
import { accounts, live } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Client } from '../client/client.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { createKnownSecrets, noteAt, notingClient, notingVault } from './known-secrets.ts'

/** Parameters and answers with secrets wherever one can be. */
const operation = {
  path: '/x',
  parameters: {
    plain: { kind: 'text' },
    secret: { kind: 'text', secret: true },
    within: { kind: 'object', members: { secret: { kind: 'text', secret: true }, plain: { kind: 'text' } } },
    many: { kind: 'list', of: { kind: 'text', secret: true } },
  },
  answer: { deep: { kind: 'list', of: { kind: 'object', members: { key: { kind: 'text', secret: true } } } } },
} as unknown as Operation

describe('a client whose secrets are noted', () => {
  const args = {
    plain: 'plain text',
    secret: 'secret one',
    within: { secret: 'secret two', plain: 'plain text' },
    many: ['secret three', 7, 'secret four'],
    unknown: 'plain text',
  }
  const sent = ['secret one', 'secret two', 'secret three', 'secret four']

  it('notes those of a call before it is made, and those of its answer', async () => {
    const known = createKnownSecrets()
    const before: string[][] = []
    const client = notingClient(
      {
        call: () => {
          before.push([...known.all()])
          return Promise.resolve({ deep: [{ key: 'secret five' }, null, { key: 8 }] })
        },
      } as unknown as Client,
      known,
    )
    expect(await client.call(operation, args as never)).toEqual({ deep: [{ key: 'secret five' }, null, { key: 8 }] })
    expect(before).toEqual([sent])
    expect([...known.all()]).toEqual([...sent, 'secret five'])
  })

  it('notes those of a call of the console, whatever comes back', async () => {
    const known = createKnownSecrets()
    let text = '{"deep":[{"key":"secret five"}]}'
    const client = notingClient({ exchange: () => Promise.resolve({ answer: { text } }) } as unknown as Client, known)
    expect(await client.exchange(operation, args)).toEqual({ answer: { text } })
    expect([...known.all()]).toEqual([...sent, 'secret five'])
    for (text of ['<html>', 'null', '[]', '"x"'])
      expect(await client.exchange(operation, {})).toEqual({ answer: { text } })
    expect([...known.all()]).toHaveLength(5)
  })

  it('passes streams on, and notes the secrets of the contract', async () => {
    const known = createKnownSecrets()
    const asked: unknown[] = []
    const client = notingClient(
      {
        stream: (...given: unknown[]) => {
          asked.push(given)
          return Promise.resolve('stream')
        },
        call: () => Promise.resolve({ info: { token: 'token of an answer' } }),
      } as unknown as Client,
      known,
    )
    const { signal } = new AbortController()
    expect(await client.stream(live.list as never, {}, signal)).toBe('stream')
    expect(asked).toEqual([[live.list, {}, signal]])
    await client.call(accounts.create, { accid: 'a', token: 'token of a call' })
    expect([...known.all()]).toEqual(['token of a call', 'token of an answer'])
  })
})

it('a vault notes what it keeps before it keeps it, and what it gives', async () => {
  const known = createKnownSecrets()
  const inner = sessionVault({ kind: 'session', reason: 'chosen', detail: '' })
  const failing = { ...inner, set: () => Promise.reject(new Error('locked')) }
  await expect(notingVault(failing, known).set('a', 'refused secret')).rejects.toThrow('locked')
  await inner.set('b', '{"password":"given secret","host":"a host","number":12345}')
  const vault = notingVault(inner, known)
  expect(await vault.get('b')).toContain('given secret')
  expect(await vault.get('nothing')).toBeUndefined()
  await vault.set('c', '{not JSON')
  expect([...known.all()]).toEqual(['refused secret', 'given secret', '{not JSON'])
  await vault.delete('b')
  expect(await vault.names()).toEqual(['c'])
})

it('what is under 4 or over 8,192 letters is not noted, but long lines and query values of it are', () => {
  const known = createKnownSecrets()
  known.note('abc')
  known.note('x'.repeat(8_193))
  known.note(`http://h/?a=12345678&b=1234567x&c=short#d=${'y'.repeat(8_192)}`)
  known.note(`short\r\n${'l'.repeat(16)}\r\n----- not this line\n${'m'.repeat(15)}`)
  const all = [...known.all()]
  expect(all.filter((each) => !each.includes('\n'))).toEqual(['1234567x', 'y'.repeat(8_192), 'l'.repeat(16)])
})

it('places of secrets are followed into lists and members, and nothing else is noted', () => {
  const known = createKnownSecrets()
  noteAt(true, 'secret one', known)
  noteAt(
    { key: true, list: { '*': { key: true } } },
    {
      key: 'secret two',
      other: 'plain text',
      list: [{ key: 'secret three' }, { other: 'plain text' }, null],
    },
    known,
  )
  noteAt(undefined, 'plain text', known)
  noteAt(true, { key: 'plain text' }, known)
  noteAt({ key: true }, 'plain text', known)
  noteAt({ key: true }, null, known)
  expect([...known.all()]).toEqual(['secret one', 'secret two', 'secret three'])
})
