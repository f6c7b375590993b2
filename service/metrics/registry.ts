import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../version.ts'
import type { CountedParts, Figure, Looked } from './figure.ts'
import { figures } from './figures.ts'
import type { ServiceCounts } from './service-counts.ts'

/** Of the event loop's delay, in ms. */
const precision = 20

/**
 * Of the process, what is left out: each of these goes through every socket at a scrape, and `_total` is for counters
 * alone.
 */
const leftOut = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
])

type HistogramFigure = Extract<Figure, { readonly type: 'histogram' }>

/** A histogram that a part keeps: its labels would cost the part more than the values. */
class KeptHistogram extends Histogram {
  readonly #figure: HistogramFigure
  readonly #counts: ServiceCounts

  constructor(figure: HistogramFigure, counts: ServiceCounts) {
    const { name, help, labels = [] } = figure
    super({ name, help, labelNames: [...labels], registers: [] })
    this.#figure = figure
    this.#counts = counts
  }

  override get(): ReturnType<Histogram['get']> {
    const { name, unit, read } = this.#figure
    const values = read(this.#counts).flatMap(([histogram, labels = {}]) => {
      const { upTo, sum, count } = histogram.read()
      return [
        ...upTo.map(([bound, value]) => ({
          metricName: `${name}_bucket`,
          labels: { ...labels, le: Number((bound * unit).toPrecision(6)) },
          value,
        })),
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum * unit },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
    return Promise.resolve({ ...described(this.#figure), type: 'histogram', values } as unknown as Awaited<
      ReturnType<Histogram['get']>
    >)
  }

  /** What a registry calls for its text. */
  getForPromString(): ReturnType<Histogram['get']> {
    return this.get()
  }
}

const described = ({ name, help }: Figure) => ({ name, help, aggregator: 'sum' as const })

/** Makes what `/metrics` answers: the process and its event loop, and the figures of a service. */
export function createRegistry(parts: CountedParts, counts: ServiceCounts, looked: () => Looked): Registry {
  const register = new Registry()
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: precision })
  for (const name of leftOut) register.removeSingleMetric(name)
  new Gauge({
    name: 'sidestage_build_info',
    help: 'Version of the service, with the value 1.',
    labelNames: ['version'],
    registers: [register],
  }).set({ version }, 1)
  for (const figure of figures) {
    if (figure.type === 'histogram') {
      register.registerMetric(new KeptHistogram(figure, counts))
      continue
    }
    const { name, help, labels = [], read } = figure
    const shared = { name, help, labelNames: [...labels], registers: [] }
    const rows = () => read(parts, counts, looked())
    register.registerMetric(
      figure.type === 'gauge'
        ? new Gauge({
            ...shared,
            collect() {
              this.reset()
              const found = rows()
              // One without labels is 0 after that, also where it is to be absent.
              if (found.length === 0 && labels.length === 0) this.remove()
              for (const [value, given = {}] of found) this.set(given, value)
            },
          })
        : new Counter({
            ...shared,
            collect() {
              this.reset()
              for (const [value, given = {}] of rows()) this.inc(given, value)
            },
          }),
    )
  }
  return register
}
