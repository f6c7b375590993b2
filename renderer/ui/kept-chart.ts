import type UPlot from 'uplot'
import { onScopeDispose } from 'vue'

/** Keeps a chart as wide as its place and in the colours of the theme until the component is gone. To be called while it is mounted. */
export function keepChart(chart: UPlot, place: HTMLElement, height: () => number): void {
  const sizes = new ResizeObserver(() => {
    if (place.clientWidth > 0) chart.setSize({ width: place.clientWidth, height: height() })
  })
  sizes.observe(place)
  // A canvas keeps the colours that it was drawn in.
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
