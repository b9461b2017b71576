// Search in a site that was opened from disk. For such pages a browser fetches no file and starts no worker. So here
// the index is a script (build.py writes it), and the theme's worker runs in a hidden frame.
if (location.protocol === "file:") {
  const site = document.currentScript.src.replace(/[^/]*$/, "");

  const run = (source, page) =>
    new Promise((done, failed) => {
      const script = page.createElement("script");
      script.src = source;
      script.onload = done;
      script.onerror = failed;
      page.head.append(script);
    });

  // The theme takes the index from here instead of fetching it.
  window.__search = {
    index: run(site + "search/search_index.js", document).then(() => window.search_index),
  };

  window.Worker = class extends EventTarget {
    constructor(source) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.ready = new Promise((loaded) => {
        this.frame.onload = loaded;
        document.documentElement.append(this.frame);
      }).then(() => {
        this.frame.contentWindow.postMessage = (data) =>
          this.dispatchEvent(new MessageEvent("message", { data }));
        return run(new URL(source, location).href, this.frame.contentDocument);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
