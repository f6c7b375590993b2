import type UPlot from 'uplot'
import { onScopeDispose } from 'vue'

/** Keeps the width and the theme's colours. Call it while the component is mounted. */
export function keepChart(chart: UPlot, place: HTMLElement, height: () => number): void {
  const sizes = new ResizeObserver(() => {
    if (place.clientWidth > 0) chart.setSize({ width: place.clientWidth, height: height() })
  })
  sizes.observe(place)
  // A canvas keeps its old colours until redrawn.
  const themes = new MutationObserver(() => {
    chart.redraw(false)
  })
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['class'] })
  onScopeDispose(() => {
    sizes.disconnect()
    themes.disconnect()
    chart.destroy()
  })
}
