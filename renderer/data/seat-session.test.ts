import { expect, it } from 'vitest'
import { createSeatSession } from './seat-session.ts'

function stage(hash: string, answer: () => { status: number; retryAfter?: string } = () => ({ status: 204 })) {
  const calls: { method: string; body: unknown; hashThen: string }[] = []
  const location = { hash, pathname: '/', search: '' }
  const session = createSeatSession({
    location,
    history: {
      replaceState: () => {
        location.hash = ''
      },
    },
    fetch: (_path, init) => {
      calls.push({
        method: init?.method ?? 'GET',
        body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
        hashThen: location.hash,
      })
      const { status, retryAfter } = answer()
      return Promise.resolve({
        status,
        headers: { get: (name: string) => (name === 'retry-after' ? (retryAfter ?? null) : null) },
      })
    },
  })
  return { calls, location, session }
}

it('takes the code out of the address at once, also one that comes later, and leaves routes alone', () => {
  const { location, session } = stage('#code=abcDEF0123-_x')
  expect([location.hash, session.code]).toEqual(['', 'abcDEF0123-_x'])
  location.hash = '#code=another-one'
  session.readAddress()
  expect([location.hash, session.code]).toEqual(['', 'another-one'])
  for (const hash of ['#/room', '#token=abcdefgh', '#code=<script>', `#code=${'x'.repeat(65)}`]) {
    const other = stage(hash)
    expect([other.location.hash, other.session.code]).toEqual([hash, ''])
  }
})

it('posts what was entered, without a code where there is none, and forgets the code once it was used', async () => {
  const { calls, session } = stage('#code=abcDEF0123')
  expect(await session.signIn({ accid: 'mei', token: 't', code: '' })).toEqual({ came: 'in' })
  expect(calls).toEqual([{ method: 'POST', body: { accid: 'mei', token: 't' }, hashThen: '' }])
  expect(session.code).toBe('')
  expect(await session.signIn({ accid: 'mei', token: 't', code: 'c' })).toEqual({ came: 'in' })
  expect(calls.at(-1)?.body).toEqual({ accid: 'mei', token: 't', code: 'c' })
  expect(await session.signOut()).toBe(true)
  expect(calls.at(-1)?.method).toBe('DELETE')
})

it('says how long to wait when it was refused, keeps the code, and tells a missing answer apart', async () => {
  const entered = { accid: 'mei', token: 't', code: 'abcDEF0123' }
  const { session } = stage('#code=abcDEF0123', () => ({ status: 401, retryAfter: '8' }))
  expect(await session.signIn(entered)).toEqual({ came: 'refused', wait: 8 })
  expect(session.code).toBe('abcDEF0123')
  expect(await stage('', () => ({ status: 401 })).session.signIn(entered)).toEqual({ came: 'refused', wait: 0 })
  expect(await stage('', () => ({ status: 401, retryAfter: 'soon' })).session.signIn(entered)).toEqual({
    came: 'refused',
    wait: 0,
  })
  expect(await stage('', () => ({ status: 507 })).session.signIn(entered)).toEqual({ came: 'full' })
  const away = stage('', () => {
    throw new Error('no network')
  })
  expect(await away.session.signIn(entered)).toEqual({ came: 'offline' })
  expect(await away.session.signOut()).toBe(false)
})

it.each([
  ['599', 599],
  ['601', 600],
  ['-3', 0],
])('waits at most ten minutes after a refusal, and never a negative time: %s', async (retryAfter, wait) => {
  const { session } = stage('', () => ({ status: 429, retryAfter }))
  expect(await session.signIn({ accid: 'mei', token: 't', code: '' })).toEqual({ came: 'refused', wait })
})

it('takes a code of 8 letters and none of 7', () => {
  expect(stage('#code=abcdef12').session.code).toBe('abcdef12')
  expect(stage('#code=abcdef1').session.code).toBe('')
})

it('keeps the code where the disk was full or nothing answered, and says that a sign-out was refused', async () => {
  let status = 507
  const { session } = stage('#code=abcDEF0123', () => {
    if (status === 0) throw new Error('no network')
    return { status }
  })
  const entered = { accid: 'mei', token: 't', code: '' }
  await session.signIn(entered)
  status = 0
  await session.signIn(entered)
  expect(session.code).toBe('abcDEF0123')
  status = 500
  expect(await session.signOut()).toBe(false)
})
