import { isTyping, useWindowKeys } from '../../ui/window-keys.ts'
import type { CutEnd } from './cut.ts'
import { actionOf, type StepSize, type TrimAction } from './trim-keys.ts'

type Plain = Exclude<TrimAction['do'], 'step' | 'edge'>

/** What the keys do. */
export type TrimActs = Readonly<Record<Plain, () => void>> & {
  readonly step: (end: CutEnd | 'at', by: StepSize, direction: 1 | -1) => void
  readonly edge: (end: CutEnd, direction: 1 | -1) => void
}

const pressable = 'button, a, [role="slider"], [role="switch"], input'
/** A slider of the kit takes its own keys; no text goes into it. */
const isText = (target: EventTarget | null): boolean =>
  isTyping(target) && !(target instanceof HTMLInputElement && target.type === 'range')

/** Follows the keys of the clip editor while it is mounted, unless a dialog is open. */
export function useTrimKeys(acts: TrimActs): void {
  useWindowKeys((event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector('[role="dialog"]')) return
    const element = event.target instanceof HTMLElement ? event.target : null
    const action = actionOf(event, {
      end: element?.dataset['end'] as CutEnd | undefined,
      typing: isText(event.target),
      pressing: element?.closest(pressable) != null,
    })
    if (!action) return
    event.preventDefault()
    if (action.do === 'step') acts.step(action.end, action.by, action.direction)
    else if (action.do === 'edge') acts.edge(action.end, action.direction)
    else acts[action.do]()
  })
}
