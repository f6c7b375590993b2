import { expect, it } from 'vitest'
import { Unauthorized } from './client.ts'
import { signIn } from './session.ts'

function page(hash: string, statuses: readonly number[], authMethod: string | null = null) {
  const calls: { path: string; method: string; body: string | undefined; hashThen: string }[] = []
  const location = { hash, pathname: '/', search: '' }
  const left = [...statuses]
  return {
    calls,
    location,
    history: {
      replaceState: (_data: unknown, _title: string, url?: string | URL | null) => {
        location.hash = String(url).includes('#') ? location.hash : ''
      },
    },
    fetch: (path: string, init?: RequestInit) => {
      calls.push({
        path,
        method: init?.method ?? 'GET',
        body: typeof init?.body === 'string' ? init.body : undefined,
        hashThen: location.hash,
      })
      return Promise.resolve({
        status: left.shift() ?? 500,
        headers: { get: (name: string) => (name === 'sidestage-door' ? authMethod : null) },
      })
    },
  }
}

it('trades the token for a session and has taken it out of the address before it asks', async () => {
  const at = page('#token=abcDEF0123-_x', [204])
  await signIn(at)
  expect(at.calls).toEqual([{ path: '/session', method: 'POST', body: '{"token":"abcDEF0123-_x"}', hashThen: '' }])
})

it('goes on with an older session when the token was used before', async () => {
  const at = page('#token=abcDEF0123-_x', [401, 204])
  await signIn(at)
  expect(at.calls.map(({ method }) => method)).toEqual(['POST', 'GET'])
})

it('says that there is no session', async () => {
  await expect(signIn(page('', [401]))).rejects.toBeInstanceOf(Unauthorized)
  await expect(signIn(page('#token=abcDEF0123-_x', [401, 401]))).rejects.toBeInstanceOf(Unauthorized)
})

it('leaves a route in the address alone, and does not take a fault for a missing session', async () => {
  const at = page('#/studio/abc', [204])
  await signIn(at)
  expect(at.location.hash).toBe('#/studio/abc')
  await expect(signIn(page('', [503]))).rejects.not.toBeInstanceOf(Unauthorized)
})

it('says how people come in, with a session and without', async () => {
  expect(await signIn(page('', [204]))).toBe('link')
  expect(await signIn(page('', [204], 'account'))).toBe('account')
  expect(await signIn(page('#token=abcDEF0123-_x', [401, 204], 'link'))).toBe('link')
  await expect(signIn(page('', [401], 'account'))).rejects.toMatchObject({ authMethod: 'account' })
})

it.each([
  [401, true],
  [403, true],
  [404, false],
  [500, false],
])('takes the answer %i for a missing session: %s', async (status, missing) => {
  const error: unknown = await signIn(page('', [status])).catch((reason: unknown) => reason)
  expect(error instanceof Unauthorized).toBe(missing)
  expect(error).toBeInstanceOf(Error)
  if (!missing) expect(error).toMatchObject({ message: `session answered ${status}` })
})

it.each([200, 204])('takes the answer %i for a session', async (status) => {
  expect(await signIn(page('', [status]))).toBe('link')
})

it.each([
  ['#token=abcdef1', false],
  ['#token=abcdef12', true],
  [`#token=${'x'.repeat(256)}`, true],
  [`#token=${'x'.repeat(257)}`, false],
  ['#token=abcdef12&x', false],
  ['#x#token=abcdef12', false],
])('takes a token of 8 to 256 letters only: %s', async (hash, taken) => {
  const at = page(hash, [204])
  await signIn(at)
  expect([at.calls[0]?.method, at.location.hash]).toEqual(taken ? ['POST', ''] : ['GET', hash])
})
