/** In ms without a movement. */
const shownFor = 3000
/** In ms, while something keeps them. */
const lookEvery = 1000

/** Shows controls after a movement, a touch or a focus, and takes them away 3 s later unless they are kept. */
export function createAutoHide(stage: HTMLElement, controls: HTMLElement, keep: () => boolean) {
  const reduced = matchMedia('(prefers-reduced-motion: reduce)')
  let timer: ReturnType<typeof setTimeout> | undefined
  const isKept = (): boolean =>
    reduced.matches || keep() || controls.querySelector(':focus-visible') !== null || controls.matches(':hover')
  const rest = (): void => {
    clearTimeout(timer)
    if (isKept()) timer = setTimeout(rest, lookEvery)
    else stage.dataset['controls'] = 'away'
  }
  const wake = (): void => {
    stage.dataset['controls'] = 'shown'
    clearTimeout(timer)
    timer = setTimeout(rest, shownFor)
  }
  stage.addEventListener('pointermove', ({ pointerType }) => {
    if (pointerType !== 'touch') wake()
  })
  stage.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch') rest()
  })
  stage.addEventListener('pointerup', ({ pointerType, target }) => {
    if (pointerType !== 'touch') return
    const isOnPicture = !(target instanceof Element && target.closest('button, input, label, a, .panel'))
    // A touch on the picture is for the controls alone.
    if (isOnPicture && stage.dataset['controls'] === 'shown') rest()
    else wake()
  })
  controls.addEventListener('focusin', wake)
  wake()
  return { wake }
}
