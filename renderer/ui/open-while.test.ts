import { expect, it } from 'vitest'
import { ref } from 'vue'
import { openWhile } from './open-while.ts'

it('is open while there is something that it is about, also where that is empty', () => {
  const about = ref<string | null>(null)
  const open = openWhile(about)
  expect(open.value).toBe(false)
  about.value = ''
  expect(open.value).toBe(true)
  about.value = 'cid'
  expect(open.value).toBe(true)
})

it('forgets what it is about when it closes, and keeps that when it opens', () => {
  const about = ref<string | null>('cid')
  const open = openWhile(about)
  open.value = true
  expect(about.value).toBe('cid')
  open.value = false
  expect([about.value, open.value]).toEqual([null, false])
})
