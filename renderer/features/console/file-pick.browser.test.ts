import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { defineComponent, h, ref } from 'vue'
import { mounted } from '../../testing/mounted.ts'
import FilePick from './file-pick.vue'

const chosen = ref('')
const Form = defineComponent(
  () => () => h(FilePick, { id: 'file', modelValue: chosen.value, 'onUpdate:modelValue': (to) => (chosen.value = to) }),
)
const opened = async (): Promise<void> => {
  chosen.value = ''
  await mounted(Form)
}
const choose = (name: string, size: number): Promise<void> =>
  userEvent.upload(document.querySelector('#file')!, new File([new Uint8Array(size).fill(65)], name))
const status = () => page.getByRole('status')

describe('a file of the console', () => {
  it('is handed on as Base64, and named with its size', async () => {
    await opened()
    await choose('small.bin', 3)
    await expect.element(status()).toMatchTextContent('small.bin')
    expect(chosen.value).toBe('QUFB')
  })

  it('that is too large takes the place of an earlier one: none is handed on, and the reason stays', async () => {
    await opened()
    await choose('small.bin', 3)
    await expect.poll(() => chosen.value).toBe('QUFB')
    await choose('large.bin', 150_001)
    await expect.poll(() => chosen.value).toBe('')
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await expect.element(status()).toMatchTextContent('This file has')
    await choose('edge.bin', 150_000)
    await expect.element(status()).toMatchTextContent('edge.bin')
    expect(chosen.value).toHaveLength(200_000)
  })

  it('is no longer named when the form is emptied', async () => {
    await opened()
    await choose('small.bin', 3)
    await expect.element(status()).toMatchTextContent('small.bin')
    chosen.value = ''
    await expect.element(status()).not.toMatchTextContent('small.bin')
  })
})
