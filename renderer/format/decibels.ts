/** A level in dB as "−17.2", with the sign of mathematics; "−∞" for digital silence. */
export const decibels = (value: number): string =>
  value === -Infinity ? '−∞' : (Math.round(value * 10) / 10 + 0).toFixed(1).replace('-', '−')
