import { element, icon, iconButton } from './element.ts'
import { say } from './words.ts'

/** What viewers set for themselves; shown over the picture. */
export function createSettingsPanel(options: {
  /** Only HLS is possible. */
  readonly steadyOnly: boolean
  readonly steady: boolean
  choose(steady: boolean): void
  figures(shown: boolean): void
}) {
  const button = iconButton('settings', say('settings'), 'option')
  const size = element('span', { class: 'detail' })
  const delays = ([false, true] as const).map((steady) => {
    const input = element('input', { type: 'radio', name: 'delay', value: String(steady) })
    input.checked = options.steadyOnly ? steady : steady === options.steady
    input.disabled = options.steadyOnly
    input.addEventListener('change', () => options.choose(steady))
    const detail = element('span', { class: 'detail' }, say(steady ? 'delaySteadyNote' : 'delayLowNote'))
    const label = element(
      'label',
      { class: 'choice' },
      input,
      element('span', { class: 'choice-name' }, say(steady ? 'delaySteady' : 'delayLow')),
      detail,
    )
    return { label, detail, steady }
  })
  const shown = element('input', { type: 'checkbox', role: 'switch' })
  shown.addEventListener('change', () => options.figures(shown.checked))
  const panel = element(
    'div',
    { class: 'panel', role: 'group', 'aria-label': say('settings'), id: 'settings-panel' },
    element('p', { class: 'caption' }, say('pictureQuality')),
    element(
      'p',
      { class: 'choice' },
      icon('check', 16),
      element('span', { class: 'choice-name' }, say('asSent')),
      size,
    ),
    element(
      'fieldset',
      {},
      element('legend', { class: 'caption' }, say('delay')),
      ...delays.map(({ label }) => label),
      ...(options.steadyOnly ? [element('p', { class: 'detail' }, say('steadyOnly'))] : []),
    ),
    element('label', { class: 'choice switch' }, element('span', { class: 'choice-name' }, say('showFigures')), shown),
  )
  panel.hidden = true
  button.setAttribute('aria-expanded', 'false')
  button.setAttribute('aria-controls', panel.id)
  const open = (isOpen: boolean): void => {
    if (panel.hidden !== isOpen) return
    panel.hidden = !isOpen
    button.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) panel.querySelector<HTMLElement>('input:checked:enabled, input[type=checkbox]')?.focus()
  }
  button.addEventListener('click', () => open(panel.hidden === true))
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Node && !panel.contains(target) && !button.contains(target)) open(false)
  })
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    open(false)
    button.focus()
  })
  return {
    button,
    panel,
    isOpen: (): boolean => !panel.hidden,
    close: (): void => open(false),
    /** Height of the picture and its frames in a second, and how far behind the player of now is. */
    show(now: { readonly size: string; readonly steady: boolean; readonly behind: string }): void {
      size.textContent = now.size
      for (const { detail, steady } of delays) {
        const note = say(steady ? 'delaySteadyNote' : 'delayLowNote')
        detail.textContent =
          steady === now.steady && now.behind !== '' ? say('behindAnd', { behind: now.behind, note }) : note
      }
    },
  }
}
