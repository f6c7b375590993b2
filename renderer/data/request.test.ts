import { effectScope } from 'vue'
import { expect, it } from 'vitest'
import { useRequest } from './request.ts'

it('takes the answer of the latest question: a late one of an earlier question is dropped', async () => {
  const { run, value, busy } = useRequest<string>()
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const early = run(() => first.promise)
  const late = run(() => second.promise)
  second.resolve('second')
  expect([await late, value.value, busy.value]).toEqual(['second', 'second', false])
  first.resolve('first')
  expect([await early, value.value]).toEqual([undefined, 'second'])
})

it('stays busy, and keeps quiet of a failure, while a later question is not answered', async () => {
  const { run, failure, busy } = useRequest<string>()
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const early = run(() => first.promise)
  const late = run(() => second.promise)
  first.reject(new Error('late'))
  expect([await early, failure.value, busy.value]).toEqual([undefined, null, true])
  second.resolve('second')
  await late
  expect(busy.value).toBe(false)
})

it('tells the work that it is late, so that it asks nothing more', async () => {
  const { run } = useRequest<boolean>()
  const gate = Promise.withResolvers<void>()
  let told: boolean | undefined
  const early = run(async (isLate) => {
    await gate.promise
    told = isLate()
    return told
  })
  await run((isLate) => Promise.resolve(isLate()))
  gate.resolve()
  await early
  expect(told).toBe(true)
})

it('keeps the last answer when the next question fails, and clears the failure as it is asked again', async () => {
  const { run, reload, value, failure } = useRequest<string>()
  let fails = false
  const ask = (): Promise<string> => (fails ? Promise.reject(new Error('not read')) : Promise.resolve('read'))
  await run(ask)
  fails = true
  expect(await reload()).toBeUndefined()
  expect([value.value, failure.value?.detail]).toEqual(['read', expect.stringContaining('not read')])
  fails = false
  const again = reload()
  expect(failure.value).toBeNull()
  expect(await again).toBe('read')
})

it('keeps the failure until the next answer where that is wished for', async () => {
  const { run, reload, failure } = useRequest<string>({ keepsFailure: true })
  let fails = true
  await run(() => (fails ? Promise.reject(new Error('not read')) : Promise.resolve('read')))
  fails = false
  const again = reload()
  expect(failure.value).not.toBeNull()
  await again
  expect(failure.value).toBeNull()
})

it('forgets what it knows and what is asked when it is dropped', async () => {
  const { run, reload, drop, value, busy } = useRequest<string>()
  await run(() => Promise.resolve('known'))
  const asked = Promise.withResolvers<string>()
  const late = run(() => asked.promise)
  drop()
  expect([value.value, busy.value]).toEqual([null, false])
  asked.resolve('late')
  expect([await late, value.value, await reload()]).toEqual([undefined, null, undefined])
})

it('ends with its scope: what is answered later is dropped', async () => {
  const scope = effectScope()
  const request = scope.run(() => useRequest<string>())!
  const asked = Promise.withResolvers<string>()
  const late = request.run(() => asked.promise)
  scope.stop()
  asked.resolve('late')
  expect([await late, request.value.value, await request.reload()]).toEqual([undefined, null, undefined])
})
