import { afterEach, expect, it } from 'vitest'
import { createSettingsPanel } from './settings-panel.ts'
import { say } from './words.ts'

afterEach(() => document.body.replaceChildren())

function show(options: { readonly steadyOnly?: boolean; readonly steady?: boolean } = {}) {
  const done: string[] = []
  const settings = createSettingsPanel({
    steadyOnly: options.steadyOnly ?? false,
    steady: options.steady ?? false,
    choose: (steady) => done.push(steady ? 'steady' : 'low'),
    figures: (shown) => done.push(shown ? 'figures' : 'none'),
  })
  document.body.append(settings.button, settings.panel)
  const [low, steady] = [...settings.panel.querySelectorAll<HTMLInputElement>('[type=radio]')]
  return {
    ...settings,
    done,
    low: low!,
    steady: steady!,
    figures: settings.panel.querySelector<HTMLElement>('[role=switch]')!,
  }
}

it('opens with the focus on the choice of now, and closes with Escape, back on its button', () => {
  const { button, panel, low, isOpen } = show()
  expect([button.getAttribute('aria-expanded'), isOpen()]).toEqual(['false', false])
  button.click()
  expect([button.getAttribute('aria-expanded'), isOpen()]).toEqual(['true', true])
  expect(document.activeElement).toBe(low)
  panel.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  expect(isOpen()).toBe(false)
  expect(document.activeElement).toBe(button)
})

it('closes for a press anywhere else, and stays for one in it', () => {
  const { button, panel, isOpen } = show()
  button.click()
  panel.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
  expect(isOpen()).toBe(true)
  document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
  expect(isOpen()).toBe(false)
})

it('tells what is chosen', () => {
  const { done, low, steady, figures } = show()
  steady.click()
  low.click()
  figures.click()
  figures.click()
  expect(done).toEqual(['steady', 'low', 'figures', 'none'])
})

it('has the choice that was made before, and none where the browser has only one', () => {
  expect(show({ steady: true }).steady.checked).toBe(true)
  const { low, steady, panel } = show({ steadyOnly: true })
  expect([low.checked, low.disabled, steady.checked, steady.disabled]).toEqual([false, true, true, true])
  expect(panel.textContent).toContain(say('steadyOnly'))
})

it('says the size of the picture, and how far behind the player of now is', () => {
  const { button, panel, show: draw } = show()
  draw({ size: '1080p60', steady: false, behind: say('behind', { seconds: '1.4' }) })
  button.click()
  const details = [...panel.querySelectorAll('.detail')].map(({ textContent }) => textContent)
  expect(details).toEqual(['1080p60', `1.4 s behind, ${say('delayLowNote')}`, say('delaySteadyNote')])
})
