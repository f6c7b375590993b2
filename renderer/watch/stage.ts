import { element } from './element.ts'

/** The picture with what lies on it: the controls at its lower edge, and a panel above them. */
export function stageOf(
  video: HTMLVideoElement,
  parts: {
    /** Below the controls, from the back to the front. */
    readonly below: readonly HTMLElement[]
    readonly controls: readonly HTMLElement[]
    /** At the other end. */
    readonly options: readonly HTMLElement[]
    readonly panel: HTMLElement
  },
): { readonly controls: HTMLElement; readonly stage: HTMLElement } {
  const controls = element(
    'div',
    { class: 'controls' },
    ...parts.controls,
    element('span', { class: 'grow' }),
    ...parts.options,
  )
  return { controls, stage: element('div', { class: 'stage' }, video, ...parts.below, controls, parts.panel) }
}
