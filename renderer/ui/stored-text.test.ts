import { expect, it } from 'vitest'
import { nextTick, ref } from 'vue'
import { saveTexts, useStoredText } from './stored-text.ts'

it('shows what is stored until it is changed by a person', async () => {
  const stored = ref('https://a.example')
  const { text } = useStoredText(() => stored.value)
  stored.value = 'https://b.example'
  await nextTick()
  expect(text.value).toBe('https://b.example')
  text.value = 'https://typed.example'
  stored.value = ''
  await nextTick()
  expect(text.value).toBe('https://typed.example')
})

it('shows after a save what was stored, but for what was typed meanwhile', async () => {
  const stored = ref(['', ''])
  const [first, second] = [useStoredText(() => stored.value[0]!), useStoredText(() => stored.value[1]!)]
  first.text.value = 'a.example'
  second.text.value = '1'
  const save = async (): Promise<boolean> => {
    second.text.value = '12'
    stored.value = ['https://a.example', '1']
    await nextTick()
    return true
  }
  expect(await saveTexts([first, second], save)).toBe(true)
  expect([first.text.value, second.text.value]).toEqual(['https://a.example', '12'])
})

it('keeps what was typed when a save failed', async () => {
  const field = useStoredText(() => '')
  field.text.value = 'a.example'
  expect(await saveTexts([field], () => Promise.resolve(false))).toBe(false)
  expect(field.text.value).toBe('a.example')
})
