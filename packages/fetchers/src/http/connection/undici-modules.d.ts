/** undici's index loads every client it has (80 ms); this file of it is the HTTP/1.1 client alone (25 ms). */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}
