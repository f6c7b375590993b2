/** The light build has the interface of the full build but no types. */
declare module 'hls.js/light' {
  import Hls from 'hls.js'

  export * from 'hls.js'
  export default Hls
}
